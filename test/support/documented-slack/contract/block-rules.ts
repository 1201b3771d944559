/** Checks blocks and views as Slack does: shape by the types of its SDK, then limits, surfaces and uniqueness. */
import { isRecord, type JsonRecord, readRecord } from '../../../../src/shared/json.ts';
import {
  commonLimits,
  type Limit,
  type Limits,
  limitsByType,
  messageLimits,
  type Surface,
  surfaces,
  viewLimits,
} from './block-limits.ts';
import { conform, type Problem } from './conform.ts';
import { sdkType } from './sdk-types.ts';

/** A part of a value with the pointer to it. */
type Part = { readonly value: unknown; readonly pointer: string };

/** @returns the problems of the blocks of a message; none for another value, which its type refuses */
export function messageProblems(blocks: unknown, pointer = '/blocks'): readonly Problem[] {
  if (!Array.isArray(blocks)) return [];
  const { length } = blocks;
  const tooMany =
    length > messageLimits.blocks ? [{ pointer, message: `no more than ${messageLimits.blocks} items allowed` }] : [];
  return [...tooMany, ...blockProblems(blocks, 'message', pointer), ...wholeProblems(blocks, pointer)];
}

/** @returns the problems of a view, which has not been checked against its type either */
export function viewProblems(view: unknown): readonly Problem[] {
  const pointer = '/view';
  const shape = conform(sdkType('View'), view, pointer);
  if (!isRecord(view) || !Array.isArray(view['blocks'])) return shape;
  const { type, blocks } = view;
  const surface = type === 'home' ? 'home' : 'modal';
  const hasInput = blocks.some((block) => readRecord(block)['type'] === 'input');
  const focused = partsOf(blocks, pointer).filter(({ value }) => readRecord(value)['focus_on_load'] === true);
  return [
    ...shape,
    ...withinLimits({ value: view, pointer }, viewLimits),
    ...blockProblems(blocks, surface, `${pointer}/blocks`),
    ...(hasInput && surface === 'modal' && view['submit'] === undefined
      ? [{ pointer, message: 'missing required field: submit' }]
      : []),
    ...(focused.length > 1 ? [{ pointer, message: 'only one element can have focus_on_load' }] : []),
  ];
}

function blockProblems(blocks: readonly unknown[], surface: Surface, pointer: string): readonly Problem[] {
  const known = sdkType('KnownBlock');
  return [
    ...blocks.flatMap((block, index) => conform(known, block, `${pointer}/${index}`)),
    ...partsOf(blocks, pointer).flatMap(limitProblems),
    ...blocks.flatMap((block, index) => surfaceProblems(block, surface, `${pointer}/${index}`)),
    ...repeated(blocks, 'block_id', pointer),
    ...blocks.flatMap((block, index) => repeated(elementsOf(block), 'action_id', `${pointer}/${index}`)),
    ...blocks.flatMap((block, index) => sectionProblems(block, `${pointer}/${index}`)),
    ...blocks.flatMap((block, index) => chartProblems(block, `${pointer}/${index}/chart`)),
  ];
}

function surfaceProblems(block: unknown, surface: Surface, pointer: string): readonly Problem[] {
  const { type } = readRecord(block);
  const allowed = surfaces[String(type)];
  return allowed && !allowed.includes(surface)
    ? [{ pointer, message: `unsupported type: ${type} in a ${surface}` }]
    : [];
}

function sectionProblems(block: unknown, pointer: string): readonly Problem[] {
  const { type, text, fields } = readRecord(block);
  return type === 'section' && text === undefined && fields === undefined
    ? [{ pointer, message: 'missing required field: text' }]
    : [];
}

/** The page of the data visualization block: positive segments, unique series, and one point for each category. */
function chartProblems(block: unknown, pointer: string): readonly Problem[] {
  const { type, chart } = readRecord(block);
  if (type !== 'data_visualization') return [];
  const { segments, series, axis_config: axis } = readRecord(chart);
  const listed = (value: unknown) => (Array.isArray(value) ? value.map(readRecord) : []);
  const { categories } = readRecord(axis);
  const wanted = new Set(Array.isArray(categories) ? categories : []);
  const names = listed(series).map(({ name }) => name);
  const isUneven = listed(series).some(({ data }) => {
    const labels = new Set(listed(data).map(({ label }) => label));
    return (
      labels.size !== wanted.size ||
      listed(data).length !== labels.size ||
      [...labels].some((label) => !wanted.has(label))
    );
  });
  return [
    ...(listed(segments).some(({ value }) => Number(value) <= 0)
      ? [{ pointer, message: 'segments must be more than 0' }]
      : []),
    ...(new Set(names).size < names.length ? [{ pointer, message: 'names of series must be unique' }] : []),
    ...(isUneven ? [{ pointer, message: 'each series needs one point for each category' }] : []),
  ];
}

/** The rules that concern a message as a whole. */
function wholeProblems(blocks: readonly unknown[], pointer: string): readonly Problem[] {
  const ofType = (...types: readonly string[]) =>
    blocks.filter((block) => types.includes(String(readRecord(block)['type'])));
  const { tables, tableUnits, dataTableUnits, markdownUnits, charts } = messageLimits;
  const cells = ofType('table', 'data_table');
  return [
    ...(cells.length > tables ? [{ pointer, message: 'only_one_table_allowed' }] : []),
    ...(textUnits(ofType('table')) > tableUnits
      ? [{ pointer, message: `tables have more than ${tableUnits} characters` }]
      : []),
    ...(textUnits(ofType('data_table')) > dataTableUnits
      ? [{ pointer, message: `data tables have more than ${dataTableUnits} characters` }]
      : []),
    ...(textUnits(ofType('markdown')) > markdownUnits
      ? [{ pointer, message: `markdown has more than ${markdownUnits} characters` }]
      : []),
    ...(ofType('data_visualization').length > charts
      ? [{ pointer, message: `more than ${charts} data visualizations` }]
      : []),
  ];
}

/** @returns what Slack counts of the blocks of a posted message: their JSON, and something for each container */
export function contentUnits(blocks: unknown): number {
  return Array.isArray(blocks) ? JSON.stringify(blocks).length + blocks.length * messageLimits.containerUnits : 0;
}

/** @returns the characters that a person reads in a value */
function textUnits(value: unknown): number {
  return partsOf(value, '').reduce((sum, part) => {
    const { text, title, url } = readRecord(part.value);
    const own = [text, title, text === undefined ? url : undefined].filter((each) => typeof each === 'string');
    return sum + own.join('').length;
  }, 0);
}

function limitProblems(part: Part): readonly Problem[] {
  const { type } = readRecord(part.value);
  const own = typeof type === 'string' && Object.hasOwn(limitsByType, type) ? limitsByType[type] : undefined;
  return [...withinLimits(part, commonLimits), ...(own ? withinLimits(part, own) : []), ...choiceProblems(part)];
}

function withinLimits(part: Part, limits: Limits): readonly Problem[] {
  return Object.entries(limits).flatMap(([path, limit]) =>
    follow(part, path.split('.')).flatMap((found) => beyond(found, limit)),
  );
}

/** @returns the values at the path, one for each item of a `*` */
function follow({ value, pointer }: Part, [step, ...rest]: readonly string[]): readonly Part[] {
  if (step === undefined) return value === undefined ? [] : [{ value, pointer }];
  if (step === '*') {
    if (!Array.isArray(value)) return [];
    return value.flatMap((item, index) => follow({ value: item, pointer: `${pointer}/${index}` }, rest));
  }
  return isRecord(value) ? follow({ value: value[step], pointer: `${pointer}/${step}` }, rest) : [];
}

function beyond({ value, pointer }: Part, [min, max]: Limit): readonly Problem[] {
  const [size, unit] = Array.isArray(value)
    ? ([value.length, 'items'] as const)
    : typeof value === 'string'
      ? ([value.length, 'characters'] as const)
      : ([Number(value), ''] as const);
  if (size < min) return [{ pointer, message: `must be more than ${min - 1} ${unit}`.trim() }];
  return size > max ? [{ pointer, message: `must be less than ${max + 1} ${unit}`.trim() }] : [];
}

/** An initial choice is one of the options, and a link is one that a browser opens. */
function choiceProblems({ value, pointer }: Part): readonly Problem[] {
  const {
    type,
    options,
    option_groups: groups,
    initial_option: initial,
    initial_options: several,
    url,
  } = readRecord(value);
  const chosen = [...(initial === undefined ? [] : [initial]), ...(Array.isArray(several) ? several : [])].map((each) =>
    JSON.stringify(each),
  );
  const offered = Array.isArray(options) ? new Set(options.map((each) => JSON.stringify(each))) : undefined;
  const isStatic = type === 'static_select' || type === 'multi_static_select';
  return [
    ...(offered && chosen.some((each) => !offered.has(each))
      ? [{ pointer, message: 'initial option must be one of the options' }]
      : []),
    ...(isStatic && (options === undefined) === (groups === undefined)
      ? [{ pointer, message: 'needs options or option_groups' }]
      : []),
    ...(type === 'button' && url !== undefined && !/^https?:\/\//.test(String(url))
      ? [{ pointer, message: 'url must be http or https' }]
      : []),
  ];
}

function repeated(items: readonly unknown[], name: string, pointer: string): readonly Problem[] {
  const names = items.map((item) => readRecord(item)[name]).filter((each) => each !== undefined);
  const twice = names.filter((each, index) => names.indexOf(each) !== index);
  return twice.map((each) => ({ pointer, message: `${name} ${JSON.stringify(each)} already exists` }));
}

/** @returns the interactive elements of a block */
export function elementsOf(block: unknown): readonly JsonRecord[] {
  const { elements, accessory, element, child_blocks: children, actions } = readRecord(block);
  const own = [elements, actions].flatMap((list) => (Array.isArray(list) ? list : []));
  const nested = (Array.isArray(children) ? children : []).flatMap(elementsOf);
  return [
    ...[...own, accessory, element].filter((each) => isRecord(each) && 'action_id' in each).map(readRecord),
    ...nested,
  ];
}

/** @returns every object in a value */
function partsOf(value: unknown, pointer: string): readonly Part[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => partsOf(item, `${pointer}/${index}`));
  if (!isRecord(value)) return [];
  return [{ value, pointer }, ...Object.entries(value).flatMap(([name, each]) => partsOf(each, `${pointer}/${name}`))];
}
