/** Draws every block of a message or a view; a labelled placeholder replaces unknown types. */
import type { ContextBlock, HeaderBlock, InputBlock, SectionBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useErrorBoundary, useId } from 'preact/hooks';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { drawElement } from '../elements/element.ts';
import { drawBlocks } from '../text/draw.ts';
import { readRichText } from '../text/rich-text.ts';
import { drawCard, drawCarousel, drawContainer } from './card.ts';
import { drawChart } from './chart.ts';
import { drawImageBlock, drawPicture } from './image.ts';
import { drawPlan, drawTask } from './plan.ts';
import type { InputFrame, Scope } from './scope.ts';
import { drawDataTable, drawTable } from './table.ts';
import { drawPlain, drawText } from './text-object.ts';

type BlockProps = { readonly block: MessageBlock; readonly scope: Scope };

/** One block; a malformed one becomes a placeholder and does not affect the rest of the message. */
export function BlockView({ block, scope }: BlockProps): VNode {
  const [error] = useErrorBoundary();
  if (error !== undefined) return drawPlaceholder(block, 'could not be drawn');
  return html`<${Drawn} block=${block} scope=${scope} />`;
}

/** A separate component, so that its errors reach the boundary above. */
function Drawn({ block, scope }: BlockProps): VNode {
  return drawBlock(block, scope);
}

function drawBlock(block: MessageBlock, scope: Scope): VNode {
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
  MessageBlock,
  {
    readonly type: 'section' | 'header' | 'context' | 'divider' | 'actions' | 'image' | 'rich_text' | 'table' | 'input';
  }
>;

function drawNewerBlock(block: Newer, scope: Scope): VNode {
  switch (block.type) {
    case 'data_visualization':
      return drawChart(block);
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
      return drawPlaceholder(block, 'is not drawn by the local Slack');
  }
}

function drawPlaceholder(block: { readonly type: string }, why: string): VNode {
  return html`<div class="stand-in">A block of type <code>${String(block.type)}</code> ${why}.</div>`;
}

function drawSection(block: SectionBlock, scope: Scope): VNode {
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

function drawHeader(block: HeaderBlock, scope: Scope): VNode {
  return html`<h3 class="header">${drawPlain(block.text, scope.viewer)}</h3>`;
}

function drawContext(block: ContextBlock, scope: Scope): VNode {
  const elements = block.elements.map((element) => {
    if (element.type === 'image') return drawPicture(element, scope, 'image-context');
    return html`<div class="context-text">${drawText(element, scope.viewer)}</div>`;
  });
  return html`<div class="context">${elements}</div>`;
}

type InputProps = { readonly block: InputBlock; readonly scope: Scope };

/** Several controls under one label. */
const groups: ReadonlySet<string> = new Set(['checkboxes', 'radio_buttons']);

function InputView({ block, scope }: InputProps): VNode {
  const id = useId();
  const blockId = block.block_id ?? '';
  const error = scope.form?.errors[blockId];
  const ids = { input: `${id}-input`, label: `${id}-label`, hint: `${id}-hint`, error: `${id}-error` };
  const describedBy = [block.hint && ids.hint, error !== undefined && ids.error].filter(Boolean).join(' ');
  const frame: InputFrame = {
    inputId: ids.input,
    labelId: ids.label,
    describedBy: describedBy === '' ? undefined : describedBy,
    isInvalid: error !== undefined,
    isDispatching: block.dispatch_action === true,
  };
  return html`<div class=${`input${error === undefined ? '' : ' has-error'}`}>
    ${drawLabel(block, ids, scope)}
    ${drawElement(block.element, blockId, quiet(scope, frame), frame)}
    ${error !== undefined && html`<div class="input-error" id=${ids.error} role="alert">${error}</div>`}
    ${block.hint && html`<div class="input-hint" id=${ids.hint}>${drawPlain(block.hint, scope.viewer)}</div>`}
  </div>`;
}

function drawLabel(
  { label, element, optional }: InputBlock,
  ids: { input: string; label: string },
  scope: Scope,
): VNode {
  const words = html`${drawPlain(label, scope.viewer)}${optional === true && html` <span class="input-optional">(optional)</span>`}`;
  if (groups.has(element.type)) return html`<div class="input-label" id=${ids.label}>${words}</div>`;
  return html`<label class="input-label" id=${ids.label} for=${ids.input}>${words}</label>`;
}

/** Without `dispatch_action` a change is only stored until submission. */
function quiet(scope: Scope, { isDispatching }: InputFrame): Scope {
  return isDispatching ? scope : { ...scope, press: (pressed) => scope.form?.enter(pressed) };
}
