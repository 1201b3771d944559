/** Cards, carousels and containers. */
import type { CardBlock, CarouselBlock, ContainerBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { drawElement } from '../elements/element.ts';
import { drawBlocks } from '../text/draw.ts';
import { readRichText } from '../text/rich-text.ts';
import { drawPicture } from './image.ts';
import type { Scope } from './scope.ts';
import { drawPlain, drawText } from './text-object.ts';

export function drawCard(block: CardBlock, scope: Scope): VNode {
  const { hero_image: hero, icon, title, subtitle, body, actions } = block;
  const { viewer } = scope;
  const buttons = actions?.map((action) => drawElement(action, block.block_id ?? '', scope));
  return html`<div class="card">
    ${hero && drawPicture(hero, scope, 'image-hero')}
    <div class="card-head">
      ${icon && drawPicture(icon, scope, 'image-icon')}
      <div>
        ${title && html`<div class="card-title">${drawText(title, viewer)}</div>`}
        ${subtitle && html`<div class="card-subtitle">${drawText(subtitle, viewer)}</div>`}
      </div>
    </div>
    ${body && html`<div class="card-body">${drawText(body, viewer)}</div>`}
    ${buttons && html`<div class="actions">${buttons}</div>`}
  </div>`;
}

export function drawCarousel(block: CarouselBlock, scope: Scope): VNode {
  return html`<div class="carousel" role="group" aria-label="Cards" tabindex="0">
    ${block.elements.map((card) => drawCard(card, scope))}
  </div>`;
}

/** @param children the blocks inside, already drawn */
export function drawContainer(block: ContainerBlock, scope: Scope, children: readonly VNode[]): VNode {
  const head = html`<div class="container-head">
    ${block.icon && drawPicture(block.icon, scope, 'image-icon')}
    <div>
      <div class="container-title">${containerTitle(block, scope)}</div>
      ${block.subtitle && html`<div class="card-subtitle">${drawText(block.subtitle, scope.viewer)}</div>`}
    </div>
  </div>`;
  if (block.is_collapsible !== true) return html`<div class="container">${head}${children}</div>`;
  return html`<details class="container" open=${block.default_collapsed !== true}>
    <summary>${head}</summary>
    ${children}
  </details>`;
}

function containerTitle({ title, rich_text_title: rich }: ContainerBlock, { viewer }: Scope) {
  if (rich) return drawBlocks(readRichText(rich.elements), viewer);
  return title && drawPlain(title, viewer);
}
