/** The plan of one root field: its read for one input, and the wrapper of its reply. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { type GraphQLOutputType, getNullableType, isListType } from 'graphql';
import type { Clock } from '../../../shared/time/clock.ts';
import { parseLongList } from '../../records/reads/parse-list.ts';
import type { DetailList } from '../../records/reads/read-detail.ts';
import type { Steps } from '../../records/reads/steps.ts';
import type { Engine } from '../../records/sql.ts';
import {
  type FixedTexts,
  fieldOf,
  isWhole,
  objectTypeOf,
  type Places,
  type Source,
  writeList,
  writeMembers,
  writeObject,
  writeStoredList,
} from './objects.ts';
import type { Selected } from './selection.ts';
import { integer } from './write.ts';

/** Facts of the request that a read depends on, besides its input. */
export type PlanCaller = {
  readonly engine: Engine;
  readonly organizationId: string;
  /** The account of the key; null if it has none. */
  readonly memberId: string | null;
  readonly clock: Clock;
};

/** The read of a root field for one input. */
export type PlannedRead =
  | { readonly kind: 'steps'; readonly read: string; readonly steps: Steps<RootText> }
  | ({ readonly kind: 'detail' } & PlannedDetail)
  /** A text that needs no read. */
  | { readonly kind: 'text'; readonly text: string }
  | Failure;

type Failure = { readonly kind: 'failure'; readonly error: unknown };

/** The text of a root field, or the reason for which it has none. */
export type RootText = string | Failure;

/** Logs or events of an execution: the root fields of one execution are read in one statement. */
export type PlannedDetail = {
  readonly detailOf: string;
  readonly list: DetailList;
  /** @param stored as JSON text; null if there is none */
  readonly write: (stored: string | null) => string;
  /** Writes a long text, and yields to the event loop meanwhile. */
  readonly writeLong: (stored: string) => Promise<string>;
};

/**
 * @param input coerced
 * @param variables as the client gave them
 * @throws AppError `usage` for an input that is refused
 */
export type RootPlan = (input: never, caller: PlanCaller, variables: Readonly<Record<string, unknown>>) => PlannedRead;

/** @param type of the root field */
export type RootPlanner = (type: GraphQLOutputType, selected: Selected) => RootPlan;

/** The text of each selection of `data`. */
type Written = ReadonlyMap<Selected, string>;

/** The content of an output object: a record or a list in `data`, perhaps as its stored text, and the count of a list. */
type Found = { readonly data: Source | readonly Source[] | Written | string | null; readonly count: number };

export type Output = {
  readonly hasData: boolean;
  readonly hasCount: boolean;
  readonly write: (found: Partial<Found>, fixed?: FixedTexts) => string;
};

/** @param places of the values of a record in `data`; `stored` for a list that is stored in the form of the contract */
export function planOutput(
  outputType: GraphQLOutputType,
  { fields: selection }: Selected,
  places: Places | 'stored',
): Output {
  const type = objectTypeOf(outputType);
  return {
    hasData: selection.some(({ name }) => name === 'data'),
    hasCount: selection.some(({ name }) => name === 'count'),
    write: writeMembers<Partial<Found>>(selection, (selected) =>
      outputMember(selected, places, type.name, () => fieldOf(type, selected.name).type),
    ),
  };
}

function outputMember(
  selected: Selected,
  places: Places | 'stored',
  typeName: string,
  fieldType: () => GraphQLOutputType,
): (found: Partial<Found>, fixed: FixedTexts) => string {
  if (selected.name === '__typename') return () => `"${typeName}"`;
  if (selected.name === 'count') return ({ count }) => integer(count);
  const type = fieldType();
  const record = objectTypeOf(type);
  if (places === 'stored') {
    const write = writeStoredList(record, selected.fields);
    return ({ data }) => (data instanceof Map ? data.get(selected) : write(data));
  }
  if (isListType(getNullableType(type))) {
    const write = writeList(record, selected.fields, places);
    return ({ data }, fixed) => write(data as readonly Source[], fixed);
  }
  const write = writeObject(record, selected.fields, places);
  return ({ data }, fixed) => (data ? write(data as Source, fixed) : 'null');
}

/** Items that are written without a break. */
const sliceLength = 500;

/**
 * @param output of a list that is stored in the form of the contract
 * @returns a function that writes a long one, given as its stored text
 */
export function createLongWriter<Item>(outputType: GraphQLOutputType, { fields: selection }: Selected, output: Output) {
  const type = objectTypeOf(outputType);
  const lists = selection.filter(({ name }) => name === 'data');
  const recordOf = ({ name }: Selected) => objectTypeOf(fieldOf(type, name).type);
  const isPassedThrough = lists.every((selected) => isWhole(recordOf(selected), selected.fields));
  return async (stored: string, isWanted?: (item: Item) => boolean): Promise<string> => {
    if (isPassedThrough && isWanted === undefined) return output.write({ data: stored });
    const all = await parseLongList<Item>(stored);
    const items = isWanted ? all.filter(isWanted) : all;
    const written = new Map<Selected, string>();
    for (const selected of lists) {
      const write = writeStoredList(recordOf(selected), selected.fields);
      const slices: string[] = [];
      for (let from = 0; from < items.length; from += sliceLength) {
        slices.push(write(items.slice(from, from + sliceLength)).slice(1, -1));
        await nextIteration();
      }
      written.set(selected, `[${slices.join(',')}]`);
    }
    return output.write({ data: written });
  };
}
