/** Every block of a message, and a labelled stand-in for those the page does not draw. */
import type { KnownBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { drawElement } from '../elements/element.ts';
import { drawBlocks } from '../text/draw.ts';
import { readRichText } from '../text/rich-text.ts';
import { drawCard, drawCarousel, drawContainer } from './card.ts';
import { drawImageBlock } from './image.ts';
import { InputView } from './input.ts';
import { drawPlan, drawTask } from './plan.ts';
import type { Scope } from './scope.ts';
import { drawContext, drawHeader, drawSection } from './section.ts';
import { drawDataTable, drawTable } from './table.ts';
import { drawText } from './text-object.ts';

type BlockProps = { readonly block: KnownBlock; readonly scope: Scope };

/** One block; a malformed one shows as a stand-in and leaves the rest of the message standing. */
export function BlockView({ block, scope }: BlockProps): VNode {
  const [error] = useErrorBoundary();
  if (error !== undefined) return drawStandIn(block, 'could not be drawn');
  return html`<${Drawn} block=${block} scope=${scope} />`;
}

/** A component of its own, so that what it throws reaches the boundary above. */
function Drawn({ block, scope }: BlockProps): VNode {
  return drawBlock(block, scope);
}

function drawBlock(block: KnownBlock, scope: Scope): VNode {
  switch (block.type) {
    case 'section':
      return drawSection(block, scope);
    case 'header':
      return drawHeader(block, scope);
    case 'context':
      return drawContext(block, scope);
    case 'divider':
      return html`<hr class="divider" />`;
    case 'actions':
      return html`<div class="actions">
        ${block.elements.map((element) => drawElement(element, block.block_id ?? '', scope))}
      </div>`;
    case 'image':
      return drawImageBlock(block, scope);
    case 'rich_text':
      return html`<div class="rich-text">${drawBlocks(readRichText(block.elements), scope.viewer)}</div>`;
    case 'table':
      return drawTable(block, scope);
    case 'input':
      return html`<${InputView} block=${block} scope=${scope} />`;
    default:
      return drawNewerBlock(block, scope);
  }
}

type Newer = Exclude<
  KnownBlock,
  {
    readonly type: 'section' | 'header' | 'context' | 'divider' | 'actions' | 'image' | 'rich_text' | 'table' | 'input';
  }
>;

function drawNewerBlock(block: Newer, scope: Scope): VNode {
  switch (block.type) {
    case 'data_table':
      return drawDataTable(block, scope);
    case 'plan':
      return drawPlan(block, scope);
    case 'task_card':
      return drawTask(block, scope);
    case 'card':
      return drawCard(block, scope);
    case 'carousel':
      return drawCarousel(block, scope);
    case 'container':
      return drawContainer(
        block,
        scope,
        block.child_blocks.map((child) => drawBlock(child, scope)),
      );
    case 'alert':
      return html`<div class=${`alert alert-${block.level ?? 'default'}`} role="note">${drawText(block.text, scope.viewer)}</div>`;
    case 'markdown':
      return html`<div class="markdown">
        <div class="stand-in-label">Markdown, not formatted here</div>
        <div class="paragraph">${block.text}</div>
      </div>`;
    default:
      return drawStandIn(block, 'is not drawn by the local Slack');
  }
}

function drawStandIn(block: { readonly type: string }, why: string): VNode {
  return html`<div class="stand-in">A block of type <code>${String(block.type)}</code> ${why}.</div>`;
}
