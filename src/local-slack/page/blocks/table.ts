/** Tables: the first row is the header; wide tables scroll. */
import type { DataTableBlock, RawNumberElement, RawTextElement, RichTextBlock, TableBlock } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { drawBlocks } from '../text/draw.ts';
import { readRichText } from '../text/rich-text.ts';
import type { Scope } from './scope.ts';

type Cell = RawTextElement | RawNumberElement | RichTextBlock;
type Column = NonNullable<TableBlock['column_settings']>[number];

export function drawTable(block: TableBlock, scope: Scope): VNode {
  return grid(block.rows, block.column_settings ?? [], 'Table', scope);
}

/** Shows every row, without Slack's paging and sorting. */
export function drawDataTable(block: DataTableBlock, scope: Scope): VNode {
  return html`<div class="data-table">
    <div class="data-table-caption">${block.caption}</div>
    ${grid(block.rows, [], block.caption, scope)}
  </div>`;
}

function grid(rows: readonly (readonly Cell[])[], columns: readonly Column[], label: string, scope: Scope): VNode {
  const [head = [], ...body] = rows;
  const cells = (row: readonly Cell[], tag: 'th' | 'td') =>
    row.map((cell, at) => drawCell(cell, columns[at], tag, scope));
  return html`<div class="table-scroll" role="region" aria-label=${label} tabindex="0">
    <table class="table">
      <thead><tr>${cells(head, 'th')}</tr></thead>
      <tbody>${body.map((row) => html`<tr>${cells(row, 'td')}</tr>`)}</tbody>
    </table>
  </div>`;
}

function drawCell(cell: Cell, column: Column | undefined, tag: 'th' | 'td', scope: Scope): VNode {
  const align = column?.align ?? (cell.type === 'raw_number' && tag === 'td' ? 'right' : 'left');
  const wrap = column?.is_wrapped === true ? 'cell-wrapped' : 'cell-line';
  const scopeOf = tag === 'th' ? 'col' : undefined;
  return html`<${tag} class=${`cell-${align} ${wrap}`} scope=${scopeOf}>${content(cell, scope)}<//>`;
}

function content(cell: Cell, { viewer }: Scope): ComponentChildren {
  if (cell.type === 'rich_text') return drawBlocks(readRichText(cell.elements), viewer);
  return cell.text;
}
