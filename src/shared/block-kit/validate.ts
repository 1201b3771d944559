/** Validates blocks and views against Slack's rules: each value by its schema, then the rules about the whole. */

import { memoize } from '../cache/memoize.ts';
import { isRecord, type JsonRecord } from '../json.ts';
import { blockTypes, catalogues } from './block-schemas.ts';
import { chartProblems, dataVisualizationType } from './data-visualization.ts';
import { limits } from './limits.ts';
import {
  type BlockProblem,
  choice,
  type Members,
  plainText,
  record,
  type Schema,
  type Surface,
  string,
} from './schema.ts';

type Problems = readonly BlockProblem[];
/** The path of a value, formatted only if the value is refused. */
type ValuePath = { readonly surface: Surface; readonly step: string | number; readonly above?: ValuePath };

/** Shared empty result: nearly all values are valid. */
const none: Problems = [];

/**
 * @param blocks of a view, or any value from HTTP
 * @param surface on which the blocks appear
 * @returns empty if Slack accepts the blocks
 */
export function validateBlocks(blocks: unknown, surface: Surface): Problems {
  const max = surface === 'message' ? limits.message.blocksMax : limits.view.blocksMax;
  const isFine =
    Array.isArray(blocks) && blocks.length <= max && blocks.every((one) => isRecord(one) && fits[surface](one));
  const list: Schema = { is: 'list', of: anyBlock, min: 0, max };
  const problems = isFine ? none : validateValue(list, blocks, { step: '/blocks', surface });
  return problems.length > 0 ? problems : wholeProblems(blocks, surface);
}

const anyBlock: Schema = { is: 'entry', of: 'blocks', types: blockTypes };

/** Returns true if Slack accepts a single block; memoized for frozen blocks. */
const fits: Readonly<Record<Surface, (block: object) => boolean>> = {
  message: memoize((block) => validateValue(anyBlock, block, { step: '', surface: 'message' }).length === 0),
  modal: memoize((block) => validateValue(anyBlock, block, { step: '', surface: 'modal' }).length === 0),
  home: memoize((block) => validateValue(anyBlock, block, { step: '', surface: 'home' }).length === 0),
};

/** @param path of the value in the request */
function validateValue(shape: Schema, value: unknown, path: ValuePath): Problems {
  switch (shape.is) {
    case 'string':
      return checkString(shape, value, path);
    case 'choice':
      return shape.of.some((choice) => choice === value)
        ? none
        : refuse(path, `must be one of: ${shape.of.join(', ')}`);
    case 'number':
      return checkNumber(shape, value, path);
    case 'boolean':
      return refuseUnless(typeof value === 'boolean', path, 'must be a boolean');
    case 'list':
      return checkList(shape, value, path);
    case 'record':
      return isRecord(value) ? checkMembers(shape, value, path) : refuse(path, 'must provide an object');
    case 'text':
      return checkText(shape, value, path);
    case 'entry':
      return checkEntry(shape, value, path);
  }
}

function refuse(path: ValuePath, reason: string): Problems {
  return [{ pointer: pointerOf(path), reason }];
}

function refuseUnless(isFine: boolean, path: ValuePath, reason: string): Problems {
  return isFine ? none : refuse(path, reason);
}

function inside(above: ValuePath, step: string | number): ValuePath {
  return { surface: above.surface, step, above };
}

function pointerOf({ step, above }: ValuePath): string {
  return above ? `${pointerOf(above)}/${step}` : String(step);
}

function joined(problems: Problems, more: Problems): Problems {
  return more.length === 0 ? problems : [...problems, ...more];
}

function checkString(shape: Schema & { is: 'string' }, value: unknown, path: ValuePath): Problems {
  if (typeof value !== 'string') return refuse(path, 'must be a string');
  const { unitsMin, unitsMax, pattern } = shape;
  if (value.length < unitsMin) return refuse(path, `must be more than ${unitsMin - 1} characters`);
  if (value.length > unitsMax) return refuse(path, `must be less than ${unitsMax + 1} characters`);
  return refuseUnless(!pattern || pattern.test(value), path, 'must match the expected format');
}

function checkNumber(shape: Schema & { is: 'number' }, value: unknown, path: ValuePath): Problems {
  if (typeof value !== 'number' || !Number.isFinite(value)) return refuse(path, 'must be a number');
  if (shape.isInteger && !Number.isInteger(value)) return refuse(path, 'must be an integer');
  if (value < shape.min) return refuse(path, `must be at least ${shape.min}`);
  return refuseUnless(value <= shape.max, path, `must be at most ${shape.max}`);
}

/** The items of a list that is too long are not checked. */
function checkList(shape: Schema & { is: 'list' }, value: unknown, path: ValuePath): Problems {
  if (!Array.isArray(value)) return refuse(path, 'must provide an array');
  if (value.length < shape.min) return refuse(path, `no fewer than ${shape.min} items allowed`);
  if (value.length > shape.max) return refuse(path, `no more than ${shape.max} items allowed`);
  return value.reduce<Problems>(
    (found, item, at) => joined(found, validateValue(shape.of, item, inside(path, at))),
    none,
  );
}

function checkText(shape: Schema & { is: 'text' }, value: unknown, path: ValuePath): Problems {
  const problems = checkEntry({ is: 'entry', of: 'elements', types: shape.types }, value, path);
  if (problems.length > 0 || !isRecord(value)) return problems;
  return checkString({ is: 'string', unitsMin: 1, unitsMax: shape.unitsMax }, value['text'], inside(path, 'text'));
}

function checkEntry(shape: Schema & { is: 'entry' }, value: unknown, path: ValuePath): Problems {
  if (!isRecord(value)) return refuse(path, 'must provide an object');
  const type = String(value['type']);
  const entry = shape.types.includes(type) ? own(catalogues[shape.of], type) : undefined;
  if (!entry) return refuse(inside(path, 'type'), `unsupported type: ${type.slice(0, 40)}`);
  const isHere = entry.surfaces.includes(path.surface);
  if (!isHere) return refuse(inside(path, 'type'), `unsupported type: ${type} (not in a ${path.surface})`);
  return checkMembers(entry, value, path, 'type');
}

/** @param known a member that was already checked */
function checkMembers(members: Members, value: JsonRecord, path: ValuePath, known?: string): Problems {
  const { required = {}, optional = {} } = members;
  let problems = presenceProblems(members, value, path);
  for (const name of Object.keys(value)) {
    const shape = own(required, name) ?? own(optional, name);
    const member = value[name];
    if (shape)
      problems = member === undefined ? problems : joined(problems, validateValue(shape, member, inside(path, name)));
    else if (name !== known) {
      problems = joined(problems, refuse(path, `invalid additional property: ${name.slice(0, 40)}`));
    }
  }
  return problems;
}

function presenceProblems({ required = {}, anyOf, oneOf }: Members, value: JsonRecord, path: ValuePath): Problems {
  const isPresent = (name: string) => value[name] !== undefined;
  let problems = none;
  for (const name of Object.keys(required)) {
    if (!isPresent(name)) problems = joined(problems, refuse(path, `missing required field: ${name}`));
  }
  if (anyOf && !anyOf.some(isPresent)) {
    problems = joined(problems, refuse(path, `must provide one of: ${anyOf.join(', ')}`));
  }
  if (oneOf && oneOf.filter(isPresent).length !== 1) {
    problems = joined(problems, refuse(path, `must provide exactly one of: ${oneOf.join(', ')}`));
  }
  return problems;
}

/** Reads an own property of the table, so that `constructor` and others are not found. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

type Located = { readonly pointer: string; readonly value: JsonRecord };

/** @param blocks each valid by itself */
function wholeProblems(blocks: unknown, surface: Surface): readonly BlockProblem[] {
  const all = located(blocks, '/blocks');
  const worked = all.map(withActions);
  return [
    ...repeated(all, 'block_id'),
    ...worked.flatMap((elements) => repeated(elements, 'action_id')),
    ...worked.flat().flatMap(unknownInitialOption),
    ...all.flatMap(({ pointer, value }) => chartProblems(value, pointer)),
    ...(surface === 'message' ? messageProblems(all) : []),
  ];
}

function located(items: unknown, pointer: string): readonly Located[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((value, index) => (isRecord(value) ? [{ pointer: `${pointer}/${index}`, value }] : []));
}

/** The interactive elements of one block. */
function withActions({ pointer, value }: Located): readonly Located[] {
  const single = ['accessory', 'element'].flatMap((name) => {
    const element = value[name];
    return isRecord(element) ? [{ pointer: `${pointer}/${name}`, value: element }] : [];
  });
  return [...single, ...located(value['elements'], `${pointer}/elements`)];
}

function repeated(items: readonly Located[], name: 'block_id' | 'action_id'): readonly BlockProblem[] {
  const ids = new Set<unknown>();
  return items.flatMap(({ pointer, value }) => {
    const id = value[name];
    const isRepeated = id !== undefined && ids.has(id);
    ids.add(id);
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

function messageProblems(blocks: readonly Located[]): readonly BlockProblem[] {
  const { chartsMax, tablesMax, tableUnitsMax } = limits.message;
  const tables = blocks.filter(({ value }) => value['type'] === 'table');
  const charts = blocks.filter(({ value }) => value['type'] === dataVisualizationType);
  const units = tables.reduce((sum, { value }) => sum + textUnits(value['rows']), 0);
  const tooLong = `must be less than ${tableUnitsMax + 1} characters in total`;
  return [
    ...charts.slice(chartsMax).map(({ pointer }) => ({ pointer, reason: `no more than ${chartsMax} charts allowed` })),
    ...tables.slice(tablesMax).map(({ pointer }) => ({ pointer, reason: tooManyTables })),
    ...(units > tableUnitsMax ? [{ pointer: `${tables[0]?.pointer}/rows`, reason: tooLong }] : []),
  ];
}

/** Slack's message for the error `invalid_attachments`. */
export const tooManyTables = 'only_one_table_allowed';

/** Total length of all `text` members at any depth. */
function textUnits(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textUnits(item), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + (name === 'text' && typeof member === 'string' ? member.length : textUnits(member)),
    0,
  );
}

export type ViewSurface = 'modal' | 'home';

const { buttonUnitsMax, metadataUnitsMax, titleUnitsMax } = limits.view;

const shared: Members['optional'] = {
  private_metadata: string(metadataUnitsMax, 0),
  callback_id: string(limits.id.unitsMax, 0),
};

/** https://docs.slack.dev/reference/views: a Home has neither title nor buttons. */
const frames = {
  modal: record({
    required: { type: choice('modal'), title: plainText(titleUnitsMax) },
    optional: {
      ...shared,
      submit: plainText(buttonUnitsMax),
      close: plainText(buttonUnitsMax),
    },
  }),
  home: record({ required: { type: choice('home') }, optional: shared }),
};

/**
 * @param view of a view function, or any value from HTTP
 * @returns empty if Slack accepts the view
 */
export function validateView(view: unknown, surface: ViewSurface): readonly BlockProblem[] {
  if (!isRecord(view)) return [{ pointer: '/view', reason: 'must provide an object' }];
  const { blocks, ...frame } = view;
  const problems = [
    ...validateValue(frames[surface], frame, { step: '/view', surface }),
    ...validateBlocks(blocks, surface).map(({ pointer, reason }) => ({ pointer: `/view${pointer}`, reason })),
  ];
  return problems.length > 0 ? problems : wholeViewProblems(view, surface);
}

function wholeViewProblems(view: JsonRecord, surface: ViewSurface): readonly BlockProblem[] {
  const blocks = Array.isArray(view['blocks']) ? view['blocks'].filter(isRecord) : [];
  const hasInput = blocks.some(({ type }) => type === 'input');
  const isMute = surface === 'modal' && hasInput && view['submit'] === undefined;
  return [
    ...(isMute ? [{ pointer: '/view', reason: 'missing required field: submit (there are input blocks)' }] : []),
    ...(focusCount(blocks) > 1 ? [{ pointer: '/view/blocks', reason: 'only one element may focus_on_load' }] : []),
  ];
}

function focusCount(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + focusCount(item), 0);
  if (!isRecord(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + focusCount(item), value['focus_on_load'] ? 1 : 0);
}
