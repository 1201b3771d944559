/** Slack's rules about a list of blocks as a whole: ids that must differ, sums over all tables, one table a message. */
import { limits } from './limits.ts';
import type { BlockProblem, Surface } from './schema.ts';

export type Fields = Readonly<Record<string, unknown>>;
type Located = { readonly pointer: string; readonly value: Fields };

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @param blocks each of a shape that Slack takes */
export function wholeProblems(blocks: unknown, surface: Surface): readonly BlockProblem[] {
  const all = located(blocks, '/blocks');
  const deep = all.flatMap((block) => [
    block,
    ...located(block.value['child_blocks'], `${block.pointer}/child_blocks`),
  ]);
  const worked = deep.map(withActions);
  return [
    ...repeated(deep, 'block_id'),
    ...worked.flatMap((elements) => repeated(elements, 'action_id')),
    ...worked.flat().flatMap(unknownInitialOption),
    ...deep.flatMap(dataTableProblems),
    ...(surface === 'message' ? messageProblems(deep) : []),
  ];
}

function located(items: unknown, pointer: string): readonly Located[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((value, index) => (isRecord(value) ? [{ pointer: `${pointer}/${index}`, value }] : []));
}

/** The elements of one block that a person can work. */
function withActions({ pointer, value }: Located): readonly Located[] {
  const single = ['accessory', 'element'].flatMap((name) => {
    const element = value[name];
    return isRecord(element) ? [{ pointer: `${pointer}/${name}`, value: element }] : [];
  });
  return [
    ...single,
    ...located(value['elements'], `${pointer}/elements`),
    ...located(value['actions'], `${pointer}/actions`),
  ];
}

function repeated(items: readonly Located[], name: 'block_id' | 'action_id'): readonly BlockProblem[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ pointer, value }) => {
    const id = value[name];
    const isRepeated = id !== undefined && seen.has(id);
    seen.add(id);
    return isRepeated ? [{ pointer: `${pointer}/${name}`, reason: `\`${name}\` "${String(id)}" already exists` }] : [];
  });
}

function unknownInitialOption({ pointer, value }: Located): readonly BlockProblem[] {
  const initial = value['initial_option'];
  if (!isRecord(initial)) return [];
  const groups = located(value['option_groups'], '').flatMap((group) => located(group.value['options'], ''));
  const options = [...located(value['options'], ''), ...groups];
  const isOffered = options.length === 0 || options.some((option) => option.value['value'] === initial['value']);
  return isOffered ? [] : [{ pointer: `${pointer}/initial_option`, reason: 'must be one of the provided options' }];
}

function dataTableProblems({ pointer, value }: Located): readonly BlockProblem[] {
  if (value['type'] !== 'data_table') return [];
  const rows = cellRows(value);
  const [header = []] = rows;
  const uneven = rows.findIndex((row) => row.length !== header.length);
  const rich = header.findIndex((cell) => isRecord(cell) && cell['type'] === 'rich_text');
  return [
    ...(uneven > 0 ? [{ pointer: `${pointer}/rows/${uneven}`, reason: 'must be as long as the header' }] : []),
    ...(rich >= 0 ? [{ pointer: `${pointer}/rows/0/${rich}`, reason: 'the header takes no rich_text' }] : []),
  ];
}

function messageProblems(blocks: readonly Located[]): readonly BlockProblem[] {
  const tables = blocks.filter(({ value }) => value['type'] === 'table' || value['type'] === 'data_table');
  const cellUnits = tables.reduce((sum, { value }) => sum + textUnits(value['rows']), 0);
  const markdown = blocks.filter(({ value }) => value['type'] === 'markdown');
  const markdownUnits = markdown.reduce((sum, { value }) => sum + textUnits(value), 0);
  const { tablesMax, tableUnitsMax, markdownUnitsMax } = limits.message;
  const tooLong = (max: number) => `must be less than ${max + 1} characters in total`;
  return [
    ...tables.slice(tablesMax).map(({ pointer }) => ({ pointer, reason: tooManyTables })),
    ...(cellUnits > tableUnitsMax ? [{ pointer: `${tables[0]?.pointer}/rows`, reason: tooLong(tableUnitsMax) }] : []),
    ...(markdownUnits > markdownUnitsMax ? [{ pointer: '/blocks', reason: tooLong(markdownUnitsMax) }] : []),
  ];
}

/** Slack's own word for it; it comes with the error `invalid_attachments`. */
export const tooManyTables = 'only_one_table_allowed';

function cellRows(block: Fields): readonly (readonly unknown[])[] {
  const rows = block['rows'];
  return Array.isArray(rows) ? rows.filter((row) => Array.isArray(row)) : [];
}

/** The length of everything under `text`, however deep. */
function textUnits(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textUnits(item), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + (name === 'text' && typeof member === 'string' ? member.length : textUnits(member)),
    0,
  );
}
