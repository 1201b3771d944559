/** The plan of one root field: its read for one input, and the wrapper of its reply. */
import { type GraphQLOutputType, getNullableType, isListType } from 'graphql';
import type { Clock } from '../../../shared/time/clock.ts';
import type { ReadCost } from '../../records/read-cost.ts';
import type { DetailList } from '../../records/reads/read-detail.ts';
import type { Steps } from '../../records/reads/steps.ts';
import type { Read } from '../../records/request-reads.ts';
import type { Engine } from '../../records/sql.ts';
import {
  type FixedTexts,
  fieldOf,
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

/** A read whose result is the text of its root field, or null if the resolver has to word an error. */
export type PlannedRead = PlannedSteps | PlannedDetail | PlannedText;

export type PlannedSteps = { readonly read: Read; readonly cost: ReadCost; readonly steps: Steps<string | null> };

/** A text that needs no read. */
export type PlannedText = { readonly text: string };

/** Logs or events of an execution: the root fields of one execution are read in one statement. */
export type PlannedDetail = {
  readonly detailOf: string;
  readonly list: DetailList;
  /** @param stored as JSON text; null if there is none */
  readonly write: (stored: string | null) => string;
};

/**
 * @param input coerced
 * @param isUnbounded true for a read that a plan must leave to the resolvers
 * @throws AppError `usage` for an input that is refused
 */
export type RootPlan = (input: never, caller: PlanCaller, isUnbounded: (cost: ReadCost) => boolean) => PlannedRead;

/** @param type of the root field @throws NotPlanned for a selection that no plan writes */
export type RootPlanner = (type: GraphQLOutputType, selected: Selected) => RootPlan;

/** The content of an output object: a record or a list in `data`, perhaps as its stored text, and the count of a list. */
export type Found = { readonly data: Source | readonly Source[] | string | null; readonly count: number };

export type Output = {
  readonly hasData: boolean;
  readonly hasCount: boolean;
  readonly write: (found: Partial<Found>, fixed?: FixedTexts) => string;
};

/**
 * @param places of the values of a record in `data`; `stored` for a list that is stored in the form of the contract
 * @throws NotPlanned as `writeObject` does
 */
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
    return ({ data }) => write(data);
  }
  if (isListType(getNullableType(type))) {
    const write = writeList(record, selected.fields, places);
    return ({ data }, fixed) => write(data as readonly Source[], fixed);
  }
  const write = writeObject(record, selected.fields, places);
  return ({ data }, fixed) => (data ? write(data as Source, fixed) : 'null');
}
