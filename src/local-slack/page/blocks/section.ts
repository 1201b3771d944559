/** The plain blocks of every message: section, header, context. */
import type { ContextBlock, HeaderBlock, SectionBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { drawElement } from '../elements/element.ts';
import { drawPicture } from './image.ts';
import type { Scope } from './scope.ts';
import { drawPlain, drawText } from './text-object.ts';

export function drawSection(block: SectionBlock, scope: Scope): VNode {
  const { text, fields, accessory } = block;
  return html`<div class="section">
    <div class="section-body">
      ${text && drawText(text, scope.viewer)}
      ${fields && html`<div class="fields">${fields.map((field) => drawField(field, scope))}</div>`}
    </div>
    ${accessory && html`<div class="accessory">${drawAccessory(block, accessory, scope)}</div>`}
  </div>`;
}

function drawField(field: NonNullable<SectionBlock['fields']>[number], scope: Scope): VNode {
  return html`<div class="field">${drawText(field, scope.viewer)}</div>`;
}

function drawAccessory(block: SectionBlock, accessory: NonNullable<SectionBlock['accessory']>, scope: Scope): VNode {
  if (accessory.type === 'image') return drawPicture(accessory, scope, 'image-accessory');
  return drawElement(accessory, block.block_id ?? '', scope);
}

export function drawHeader(block: HeaderBlock, scope: Scope): VNode {
  return html`<h3 class="header">${drawPlain(block.text, scope.viewer)}</h3>`;
}

export function drawContext(block: ContextBlock, scope: Scope): VNode {
  const elements = block.elements.map((element) => {
    if (element.type === 'image') return drawPicture(element, scope, 'image-context');
    return html`<div class="context-text">${drawText(element, scope.viewer)}</div>`;
  });
  return html`<div class="context">${elements}</div>`;
}
