/** Sections, contexts, actions and tables within Slack's limits. */
import type { ActionsBlock, ContextBlock, RawTextElement, RichTextBlock, SectionBlock, TableBlock } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import type { Markup } from '../format/mrkdwn.ts';
import { outsideLine, truncate } from '../format/outside-text.ts';
import { bulleted, rich, trusted, type Words } from './rich-text.ts';

/** Short facts side by side, two columns on a wide screen. @param fields at most 10 */
export function fields(values: readonly Markup[]): SectionBlock {
  return {
    type: 'section',
    fields: values
      .slice(0, limits.section.fieldsMax)
      .map(({ mrkdwn }) => ({ type: 'mrkdwn', text: truncate(mrkdwn, limits.section.fieldUnitsMax), verbatim: true })),
  };
}

/** A paragraph of markup. */
export function section({ mrkdwn }: Markup): SectionBlock {
  return { type: 'section', text: { type: 'mrkdwn', text: truncate(mrkdwn, limits.text.unitsMax), verbatim: true } };
}

/** Small print. */
export function context(values: readonly Markup[]): ContextBlock {
  return {
    type: 'context',
    elements: values
      .slice(0, limits.context.elementsMax)
      .map(({ mrkdwn }) => ({ type: 'mrkdwn', text: truncate(mrkdwn, limits.text.unitsMax), verbatim: true })),
  };
}

export function actions(elements: ActionsBlock['elements']): ActionsBlock {
  return { type: 'actions', elements: elements.slice(0, limits.actions.elementsMax) };
}

/** One cell of literal text. */
export function cell(text: string, max = 80): RawTextElement {
  return { type: 'raw_text', text: outsideLine(text, max) };
}

type Column = { readonly title: string; readonly align?: 'left' | 'right'; readonly isWrapped?: boolean };

/** A table; a message may have one. @param rows each as long as `columns`; rows beyond Slack's limit are counted in the last row */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly (RawTextElement | RichTextBlock)[])[],
): TableBlock {
  return {
    type: 'table',
    column_settings: columns.map(({ align = 'left', isWrapped = false }) => ({ align, is_wrapped: isWrapped })),
    rows: [columns.map(({ title }) => cell(title)), ...withinLimit(rows).map((row) => [...row])],
  };
}

/** @returns the same facts for a place without tables: a line for each row, below the titles */
export function tableAsList({ rows }: TableBlock): RichTextBlock {
  const [titles = [], ...others] = rows.map((row) =>
    row.flatMap((one, at) => (at === 0 ? [] : rich` · `).concat(cellElements(one))),
  );
  return bulleted(titles, others);
}

function cellElements(value: TableBlock['rows'][number][number]): Words {
  if (value.type !== 'rich_text') return 'text' in value ? [trusted(value.text)] : [];
  return value.elements.flatMap((part) => (part.type === 'rich_text_section' ? part.elements : []));
}

type TableRow = readonly (RawTextElement | RichTextBlock)[];

function withinLimit(rows: readonly TableRow[]): readonly TableRow[] {
  // The header is a row too.
  const rowsMax = limits.table.rowsMax - 1;
  if (rows.length <= rowsMax) return rows;
  const shown = rows.slice(0, rowsMax - 1);
  const rest = shown[0]?.map((_, column) => cell(column === 0 ? `and ${rows.length - shown.length} more` : '…')) ?? [];
  return [...shown, rest];
}
