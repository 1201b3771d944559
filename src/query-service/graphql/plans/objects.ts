/** Writes an object of the contract from a row or a record: only the selected fields, in their order. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Selected } from './selection.ts';
import { credits, flag, integer, literal, nullable, oneOf, text, time, type WriteValue } from './write.ts';

/** A row, whose values are at positions, or a record, whose values have names. */
export type Source = object;

/** Texts of values that are the same in every object of a list. */
export type FixedTexts = readonly string[];

export type WriteObject = (source: Source, fixed?: FixedTexts) => string;

const none: FixedTexts = [];

/** The places of values in a source. */
export type Places = {
  /** @param name of a value that a selection needs */
  readonly at: (name: string) => string | number;
  /** @returns the index of a value's text, if it is fixed */
  readonly fixedAt?: (name: string, write: WriteValue) => number | undefined;
};

/** The values of a record are at their names. */
export const byName: Places = { at: (name) => name };

type ColumnPlaces<Column> = Places & {
  /** The columns that the selections need. */
  readonly names: readonly Column[];
  /** The names of the fixed values that the selections need. */
  readonly fixedNames: () => readonly string[];
  readonly fixedTexts: (values: Readonly<Record<string, unknown>>) => FixedTexts;
};

/** The value of a row is at the position of its column. @param fixed names of values that are the same in every row */
export function createColumns<Column extends string>(fixed: readonly string[] = []): ColumnPlaces<Column> {
  const names: Column[] = [];
  const written: { readonly name: string; readonly write: WriteValue }[] = [];
  return {
    names,
    fixedNames: () => written.map(({ name }) => name),
    fixedTexts: (values) => written.map(({ name, write }) => write(values[name])),
    fixedAt: (name, write) => (fixed.includes(name) ? written.push({ name, write }) - 1 : undefined),
    at(name) {
      const known = names.indexOf(name as Column);
      return known >= 0 ? known : names.push(name as Column) - 1;
    },
  };
}

/** Values whose names differ from those of the contract. */
const valueNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Workflow: { executionCount: 'total', creditUsed: 'creditMicros' },
  WorkflowDeployment: { binaryURL: 'binaryUrl', configURL: 'configUrl', workflowID: 'workflowId' },
  WorkflowExecution: { workflowUUID: 'workflowUuid', creditUsed: 'creditMicros' },
};

export function writeObject(type: GraphQLObjectType, selection: readonly Selected[], places: Places): WriteObject {
  return writeMembers(selection, (selected) => writeMember(type, selected, places));
}

/** @param memberOf makes the writer of one member @returns a function from a source to the text of the object */
export function writeMembers<Given>(
  selection: readonly Selected[],
  memberOf: (selected: Selected) => (source: Given, fixed: FixedTexts) => string,
): (source: Given, fixed?: FixedTexts) => string {
  const members = selection.map((selected, index) => ({
    before: `${index === 0 ? '{' : ','}"${selected.key}":`,
    write: memberOf(selected),
  }));
  return (source, fixed = none) => {
    let written = '';
    for (const { before, write } of members) written += before + write(source, fixed);
    return written === '' ? '{}' : `${written}}`;
  };
}

export function writeList(type: GraphQLObjectType, selection: readonly Selected[], places: Places) {
  return writeItems(writeObject(type, selection, places));
}

function writeItems<Item>(write: (item: Item, fixed: FixedTexts) => string) {
  return (items: readonly Item[], fixed: FixedTexts = none) => {
    let written = '';
    for (const item of items) written += (written === '' ? '[' : ',') + write(item, fixed);
    return written === '' ? '[]' : `${written}]`;
  };
}

/** @param type the type of a field @returns the object type that it selects from */
export function objectTypeOf(type: GraphQLOutputType): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Error(`${named.name} is no object.`);
  return named;
}

export function fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
  const field = type.getFields()[name];
  if (field === undefined) throw new Error(`${type.name} has no ${name}.`);
  return field;
}

function writeMember(type: GraphQLObjectType, selected: Selected, places: Places): WriteObject {
  const { name } = selected;
  if (name === '__typename') return () => `"${type.name}"`;
  const field = fieldOf(type, name);
  const valueName = valueNames[type.name]?.[name] ?? name;
  const named = getNamedType(field.type);
  // An object is made of values of the same source, a list of records is one value of it.
  if (isObjectType(named) && !isListType(getNullableType(field.type))) {
    return writeObject(named, selected.fields, places);
  }
  const write = isObjectType(named) ? writeStoredList(named, selected.fields) : leafWriter(named);
  const writeValue = isNonNullType(field.type) ? write : nullable(write);
  const fixedAt = places.fixedAt?.(valueName, writeValue);
  if (fixedAt !== undefined) return (_, fixed) => fixed?.[fixedAt] ?? '';
  const at = places.at(valueName);
  return (source) => writeValue((source as Readonly<Record<string | number, unknown>>)[at]);
}

/** Writes a list that is stored as JSON text in the form of the contract. A selection of every field in order is that text. */
export function writeStoredList(type: GraphQLObjectType, selection: readonly Selected[]): WriteValue {
  const write = writeItems(writeStoredObject(type, selection));
  const isText = isWhole(type, selection);
  return (stored) => {
    if (isText && typeof stored === 'string') return stored;
    return write((typeof stored === 'string' ? JSON.parse(stored) : stored) as readonly StoredObject[]);
  };
}

type StoredObject = Readonly<Record<string, unknown>>;

/** Writes an object that has the form of the contract, with the objects and lists in it. */
export function writeStoredObject(type: GraphQLObjectType, selection: readonly Selected[]) {
  return writeMembers<StoredObject>(selection, ({ name, fields }) => {
    const write = storedMember(type, name, fields);
    return (stored) => write(stored[name]);
  });
}

function storedMember(type: GraphQLObjectType, name: string, fields: readonly Selected[]): WriteValue {
  if (name === '__typename') return () => `"${type.name}"`;
  const { type: fieldType } = fieldOf(type, name);
  const named = getNamedType(fieldType);
  if (!isObjectType(named)) return nullable(literal);
  if (isListType(getNullableType(fieldType))) return nullable(writeStoredList(named, fields));
  const write = writeStoredObject(named, fields);
  return nullable((stored) => write(stored as StoredObject));
}

/** @returns true if the selection is every field, in the order of the contract */
export function isWhole(type: GraphQLObjectType, selection: readonly Selected[]): boolean {
  const fields = Object.values(type.getFields());
  return (
    selection.length === fields.length &&
    selection.every(({ key, name, fields: inner }, index) => {
      const named = fields[index] && getNamedType(fields[index].type);
      return key === name && name === fields[index]?.name && (!isObjectType(named) || isWhole(named, inner));
    })
  );
}

const scalarWriters: Readonly<Record<string, WriteValue>> = {
  Int: integer,
  Boolean: flag,
  Time: time,
  CreditAmount: credits,
};

function leafWriter(type: GraphQLNamedType): WriteValue {
  return isEnumType(type) ? oneOf(type.getValues().map(({ name }) => name)) : (scalarWriters[type.name] ?? text);
}
