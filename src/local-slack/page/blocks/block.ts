/** Draws the blocks that the bot sends; a labelled placeholder replaces all others. */
import type { InputBlock, PlanBlock, SectionBlock, TableBlock, TaskCardBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useErrorBoundary, useId } from 'preact/hooks';
import type { DataVisualizationBlock, MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { drawElement } from '../elements/element.ts';
import { drawPlain, drawText } from '../text/mrkdwn.ts';
import { drawRichText } from '../text/rich-text.ts';
import type { InputFrame, Scope } from './scope.ts';

type BlockProps = { readonly block: MessageBlock; readonly scope: Scope };

/** One block; a malformed one becomes a placeholder and does not affect the rest of the message. */
export function BlockView({ block, scope }: BlockProps): VNode {
  const [error] = useErrorBoundary();
  if (error !== undefined) return drawPlaceholder(block);
  return html`<${Drawn} block=${block} scope=${scope} />`;
}

/** A separate component, so that its errors reach the boundary above. */
function Drawn({ block, scope }: BlockProps): VNode {
  switch (block.type) {
    case 'section':
      return drawSection(block, scope);
    case 'header':
      return html`<h3>${drawPlain(block.text, scope.viewer)}</h3>`;
    case 'context':
      return html`<div class="wrap soft small">
        ${block.elements.map((element) => element.type !== 'image' && drawText(element, scope.viewer))}
      </div>`;
    case 'divider':
      return html`<hr class="divider" />`;
    case 'actions':
      return html`<div class="wrap">
        ${block.elements.map((element) => drawElement(element, block.block_id ?? '', scope))}
      </div>`;
    case 'rich_text':
      return html`<div>${drawRichText(block.elements, scope.viewer)}</div>`;
    case 'input':
      return html`<${InputView} block=${block} scope=${scope} />`;
    case 'table':
      return drawTable(block, scope);
    case 'data_visualization':
      return drawChart(block, scope);
    case 'plan':
      return drawPlan(block, scope);
    default:
      return drawPlaceholder(block);
  }
}

function drawPlaceholder({ type }: { readonly type: string }): VNode {
  return html`<div class="soft">A block of type <code>${String(type)}</code> could not be drawn.</div>`;
}

function drawSection({ text, fields, accessory, block_id: blockId = '' }: SectionBlock, scope: Scope): VNode {
  return html`<div class="section wrap">
    <div class="section-body">
      ${text && drawText(text, scope.viewer)}
      ${fields && html`<div class="fields">${fields.map((field) => html`<div>${drawText(field, scope.viewer)}</div>`)}</div>`}
    </div>
    ${accessory && html`<div class="accessory">${drawElement(accessory, blockId, scope)}</div>`}
  </div>`;
}

type InputProps = { readonly block: InputBlock; readonly scope: Scope };

/** Several controls under one label. */
const groups: ReadonlySet<string> = new Set(['checkboxes', 'radio_buttons']);

function InputView({ block, scope }: InputProps): VNode {
  const id = useId();
  const { element, hint, label, optional, block_id: blockId = '' } = block;
  const error = scope.form?.errors[blockId];
  const [labelId, hintId, errorId] = [`${id}-label`, `${id}-hint`, `${id}-error`];
  const frame: InputFrame = {
    id,
    'aria-labelledby': labelId,
    'aria-describedby': [hint && hintId, error !== undefined && errorId].filter(Boolean).join(' ') || undefined,
    'aria-invalid': error === undefined ? undefined : 'true',
  };
  // Without `dispatch_action` a change is only stored until submission.
  const inside: Scope =
    block.dispatch_action === true ? scope : { ...scope, press: (pressed) => scope.form?.enter(pressed) };
  const target = groups.has(element.type) ? undefined : id;
  return html`<div class=${`input column${error === undefined ? '' : ' has-error'}`}>
    <label id=${labelId} for=${target}>
      <b>${drawPlain(label, scope.viewer)}</b>${optional === true && html` <span class="soft">(optional)</span>`}
    </label>
    ${drawElement(element, blockId, inside, frame)}
    ${error !== undefined && html`<div class="input-error small" id=${errorId} role="alert">${error}</div>`}
    ${hint && html`<div class="small soft" id=${hintId}>${drawPlain(hint, scope.viewer)}</div>`}
  </div>`;
}

/** The first row is the header; wide tables scroll. */
function drawTable(
  { rows: [head = [], ...body], column_settings: columns = [] }: TableBlock,
  { viewer }: Scope,
): VNode {
  const cells = (row: typeof head, tag: 'th' | 'td') =>
    row.map((cell, at) => {
      const column = columns[at];
      const align = column?.align ?? (cell.type === 'raw_number' && tag === 'td' ? 'right' : 'left');
      const content = cell.type === 'rich_text' ? drawRichText(cell.elements, viewer) : cell.text;
      return html`<${tag} class=${column?.is_wrapped === true ? 'cell-wrapped' : 'cell-line'} style=${{ textAlign: align }} scope=${tag === 'th' ? 'col' : undefined}>${content}<//>`;
    });
  return html`<div class="table-scroll framed" role="region" aria-label="Table" tabindex="0">
    <table class="table">
      <thead><tr>${cells(head, 'th')}</tr></thead>
      <tbody>${body.map((row) => html`<tr>${cells(row, 'td')}</tr>`)}</tbody>
    </table>
  </div>`;
}

const taskSigns: Readonly<Record<TaskCardBlock['status'], string>> = {
  pending: '○',
  in_progress: '…',
  complete: '✓',
  error: '!',
};

/** As in Slack, an edit of the message folds it (slackapi/node-slack-sdk#2701). */
function drawPlan({ title, tasks = [] }: PlanBlock, scope: Scope): VNode {
  return html`<details class="plan framed" open=${!scope.isEdited}>
    <summary><b>${title}</b></summary>
    <ol class="column">${(tasks as readonly TaskCardBlock[]).map((task) => html`<li>${drawTask(task, scope)}</li>`)}</ol>
  </details>`;
}

function drawTask({ status, title, details, output }: TaskCardBlock, { viewer }: Scope): VNode {
  const word = status.replace('_', ' ');
  return html`<div class="row">
    <span class=${`task-state tile task-${status}`} role="img" aria-label=${word} title=${word}>${taskSigns[status]}</span>
    <div>
      <b>${title}</b>
      <div class="small soft">
        ${details && drawRichText(details.elements, viewer)}
        ${output && drawRichText(output.elements, viewer)}
      </div>
    </div>
  </div>`;
}

/** The numbers of a chart: a row for each series. */
function drawChart({ title, chart }: DataVisualizationBlock, scope: Scope): VNode {
  type Row = TableBlock['rows'][number];
  const { categories } = chart.axis_config;
  const head: Row = ['', ...categories].map((text) => ({ type: 'raw_text', text }));
  const rows = chart.series.map(({ name, data }): Row => {
    const values = categories.map((category) => data.find(({ label }) => label === category)?.value ?? 0);
    const cells = values.map((value) => ({ type: 'raw_number' as const, value, text: value.toLocaleString('en') }));
    return [{ type: 'raw_text', text: name }, ...cells];
  });
  return html`<figure>
    <figcaption><b>${title}</b></figcaption>
    ${drawTable({ type: 'table', rows: [head, ...rows] }, scope)}
  </figure>`;
}
