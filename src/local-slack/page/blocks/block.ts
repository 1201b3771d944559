/** Draws the blocks that the bot sends; a labelled placeholder replaces all others. */
import type { InputBlock, PlanBlock, SectionBlock, TableBlock, TaskCardBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useErrorBoundary, useId } from 'preact/hooks';
import type { BarChart, DataVisualizationBlock, MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import { drawElement } from '../elements/element.ts';
import { drawPlain, drawText } from '../text/mrkdwn.ts';
import { drawRichText } from '../text/rich-text.ts';
import type { InputFrame, Scope } from './scope.ts';

type BlockProps = { readonly block: MessageBlock; readonly scope: Scope };

/** One block; a malformed one becomes a placeholder and does not affect the rest of the message. */
export function BlockView({ block, scope }: BlockProps): VNode {
  const [error] = useErrorBoundary();
  if (error !== undefined) return drawPlaceholder(block, 'could not be drawn');
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
        ${block.elements.map((element) =>
          element.type === 'image'
            ? drawPlaceholder(element, 'is not drawn')
            : html`<div>${drawText(element, scope.viewer)}</div>`,
        )}
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
      return drawChart(block);
    case 'plan':
      return drawPlan(block, scope);
    default:
      return drawPlaceholder(block, 'is not drawn by the local Slack');
  }
}

function drawPlaceholder(block: { readonly type: string }, why: string): VNode {
  return html`<div class="stand-in">A block of type <code>${String(block.type)}</code> ${why}.</div>`;
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
      const name = column?.is_wrapped === true ? 'cell-wrapped' : 'cell-line';
      const content = cell.type === 'rich_text' ? drawRichText(cell.elements, viewer) : cell.text;
      return html`<${tag} class=${name} style=${{ textAlign: align }} scope=${tag === 'th' ? 'col' : undefined}>${content}<//>`;
    });
  return html`<div class="table-scroll framed" role="region" aria-label="Table" tabindex="0">
    <table class="table">
      <thead><tr>${cells(head, 'th')}</tr></thead>
      <tbody>${body.map((row) => html`<tr>${cells(row, 'td')}</tr>`)}</tbody>
    </table>
  </div>`;
}

const taskStates: Readonly<Record<TaskCardBlock['status'], { readonly sign: string; readonly word: string }>> = {
  pending: { sign: '○', word: 'pending' },
  in_progress: { sign: '…', word: 'in progress' },
  complete: { sign: '✓', word: 'complete' },
  error: { sign: '!', word: 'error' },
};

/** As in Slack, an edit of the message folds it (slackapi/node-slack-sdk#2701). */
function drawPlan({ title, tasks = [] }: PlanBlock, scope: Scope): VNode {
  return html`<details class="plan framed" open=${!scope.isEdited}>
    <summary><b>${title}</b></summary>
    <ol class="column">${tasks.filter(isTask).map((task) => html`<li>${drawTask(task, scope)}</li>`)}</ol>
  </details>`;
}

/** The SDK's types accept any object as a task. */
function isTask(task: object): task is TaskCardBlock {
  return (
    'title' in task && 'status' in task && typeof task.status === 'string' && Object.hasOwn(taskStates, task.status)
  );
}

function drawTask({ status, title, details, output }: TaskCardBlock, { viewer }: Scope): VNode {
  const { sign, word } = taskStates[status];
  return html`<div class="row">
    <span class=${`task-state tile task-${status}`} role="img" aria-label=${word} title=${word}>${sign}</span>
    <div>
      <b>${title}</b>
      <div class="small soft">
        ${details && drawRichText(details.elements, viewer)}
        ${output && drawRichText(output.elements, viewer)}
      </div>
    </div>
  </div>`;
}

const colours = ['#1d9bd1', '#e01e5a', '#2eb67d', '#ecb22e', '#7c3085', '#de7e34'];
const [width, height, left, bottom, top] = [600, 240, 52, 208, 10];

function drawChart({ title, chart }: DataVisualizationBlock): VNode {
  return html`<figure class="chart">
    <figcaption><b>${title}</b></figcaption>
    ${drawSeries(chart, title)}
    <ul class="chart-legend wrap small">
      ${chart.series.map(({ name }, at) => html`<li><span class="chart-key" style=${`background:${colourOf(at)}`}></span>${name}</li>`)}
    </ul>
  </figure>`;
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? '';
}

/** The height of a value, and the values of the grid lines. */
type Scale = { readonly y: (value: number) => number; readonly ticks: readonly number[] };

function scaleOf({ series }: BarChart): Scale {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = niceStep((high - low || 1) / 4);
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)];
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  return { ticks, y: (value) => bottom - ((value - first * step) / ((last - first) * step)) * (bottom - top) };
}

/** @returns 1, 2 or 5 times a power of ten */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

function drawSeries(chart: BarChart, title: string): VNode {
  const { categories } = chart.axis_config;
  const scale = scaleOf(chart);
  const column = (width - left) / categories.length;
  const every = Math.ceil(categories.length / 10);
  return html`<svg class="chart-plot" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`bar chart: ${title}`}>
    ${scale.ticks.map(
      (tick) => html`<line class="chart-grid" x1=${left} x2=${width} y1=${scale.y(tick)} y2=${scale.y(tick)} />
        <text class="chart-label" x=${left - 8} y=${scale.y(tick) + 4} text-anchor="end">${compact.format(tick)}</text>`,
    )}
    ${chart.series.map((_, at) => drawBars(chart, at, scale, column))}
    ${categories.map((category, at) =>
      at % every === 0
        ? html`<text class="chart-label" x=${left + (at + 0.5) * column} y=${bottom + 23} text-anchor="middle">${category}</text>`
        : null,
    )}
  </svg>`;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Bars of several series are side by side, in the order of the categories. */
function drawBars({ series, axis_config: { categories } }: BarChart, at: number, { y }: Scale, column: number) {
  const values = new Map(series[at]?.data.map(({ label, value }) => [label, value]));
  const barWidth = (column * 0.76) / series.length;
  return categories.map((label, index) => {
    const value = values.get(label) ?? 0;
    const x = left + (index + 0.12) * column + at * barWidth;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    return html`<rect x=${x} y=${from} width=${barWidth} height=${to - from} fill=${colourOf(at)}>
      <title>${`${series[at]?.name}, ${label}: ${value}`}</title>
    </rect>`;
  });
}
