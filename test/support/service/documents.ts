/** Generates documents of every operation of the contract: selections, aliases, fragments, directives, inputs right and wrong. */
import fc from 'fast-check';
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { hashOf, minutesAgo, serviceNow, uuidOf } from './service-records.ts';

export type GeneratedDocument = { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };

/** Values for the inputs by name of the field; most of them find something. */
const texts: Readonly<Record<string, readonly string[]>> = {
  uuid: [uuidOf('workflow', 1), uuidOf('deployment', 1), uuidOf('execution', 1), uuidOf('execution', 2), 'none'],
  workflowUUID: [uuidOf('workflow', 1), uuidOf('workflow', 2), 'none', ''],
  workflowUuid: [uuidOf('workflow', 1), uuidOf('workflow', 2), 'none', ''],
  workflowExecutionUUID: [uuidOf('execution', 1), uuidOf('execution', 2), uuidOf('execution', 5), 'none'],
  capabilityID: ['http@1.0.0', 'none'],
  status: ['COMPLETED', 'failure'],
  search: ['', 'a', 'work', '%', hashOf(1), hashOf(2).slice(-9), 'x'.repeat(300), 'half \ud83d'],
};
const instants = [0, 30, 600, 43_200, 200_000].map((minutes) => new Date(minutesAgo(minutes)).toISOString());
const times = [...instants, new Date(serviceNow + 1).toISOString(), '2026-02-30T00:00:00Z'];
const sizes = [1, 2, 5, 10, 20, 100, 101, 0, -1];

/** One selection of a type as text, with the fragments that it uses. */
type Picks = { readonly pick: (length: number) => number; readonly isOften: (share: number) => boolean };

/** @returns documents with one to three root fields; the same ones for the same seed */
export function generatedDocuments(schema: GraphQLSchema, count: number, seed: number): readonly GeneratedDocument[] {
  const choices = fc.infiniteStream(fc.nat(1_000_000_000));
  return fc.sample(choices, { numRuns: count, seed }).map((stream) => {
    const next = () => Number(stream.next().value ?? 0);
    return documentOf(schema, { pick: (length) => next() % length, isOften: (share) => next() % 100 < share });
  });
}

function documentOf(schema: GraphQLSchema, picks: Picks): GeneratedDocument {
  const query = schema.getQueryType();
  if (!query) throw new Error('the contract has no queries');
  const writer = createWriter(picks);
  const roots = Array.from({ length: 1 + picks.pick(3) }, (_, index) => {
    const fields = Object.values(query.getFields());
    const field = fields[picks.pick(fields.length)];
    if (!field) return '';
    const [input] = field.args;
    const given = input ? `(input: ${writer.input(input.type, 'input', 0)})` : '';
    return `r${index}: ${field.name}${given}${writer.directive()} ${writer.selection(getNamedType(field.type) as GraphQLObjectType)}`;
  });
  if (picks.isOften(10)) roots.push('of: __typename');
  const declared = writer.declared.length > 0 ? `(${writer.declared.join(', ')})` : '';
  return {
    query: [`query Generated${declared} { ${roots.join(' ')} }`, ...writer.fragments].join('\n'),
    variables: writer.variables,
  };
}

function createWriter(picks: Picks) {
  const declared: string[] = [];
  const fragments: string[] = [];
  const variables: Record<string, unknown> = {};
  const oneOf = <Item>(items: readonly Item[]): Item => items[picks.pick(items.length)] as Item;
  const variable = (type: string, value: unknown) => {
    const name = `v${declared.length}`;
    declared.push(`$${name}: ${type}`);
    if (value !== undefined) variables[name] = value;
    return `$${name}`;
  };
  const directive = (): string => {
    if (!picks.isOften(15)) return '';
    const condition = picks.isOften(70) ? variable('Boolean!', picks.isOften(50)) : String(picks.isOften(50));
    return ` @${oneOf(['include', 'skip'])}(if: ${condition})`;
  };
  const selection = (type: GraphQLObjectType): string => {
    const fields = Object.values(type.getFields());
    const some = fields.filter(() => picks.isOften(45));
    const members = (some.length > 0 ? some : fields.slice(0, 1)).map(({ name, type: fieldType }) => {
      const named = getNamedType(fieldType);
      // Every alias is of one field, so that no two selections conflict.
      const alias = picks.isOften(15) ? `${name}_${picks.pick(2)}: ` : '';
      return `${alias}${name}${directive()}${isObjectType(named) ? ` ${selection(named)}` : ''}`;
    });
    if (picks.isOften(20)) members.push('__typename');
    if (picks.isOften(15))
      members.splice(picks.pick(members.length), 0, `... on ${type.name}${directive()} ${selection(type)}`);
    if (!picks.isOften(15)) return `{ ${members.join(' ')} }`;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${type.name} { ${members.join(' ')} }`);
    return `{ ...${name}${directive()} __typename }`;
  };
  const value = (type: GraphQLInputType, name: string): unknown => {
    const nullable = getNullableType(type);
    if (!isNonNullType(type) && picks.isOften(12)) return null;
    if (isListType(nullable)) return Array.from({ length: picks.pick(4) }, () => value(nullable.ofType, name));
    const named = getNamedType(nullable);
    if (isEnumType(named)) return oneOf(named.getValues()).name;
    if (isInputObjectType(named)) return objectValue(named);
    if (named.name === 'Int') return name === 'number' ? picks.pick(4) - Number(picks.isOften(5)) : oneOf(sizes);
    if (named.name === 'Time') return oneOf(times);
    if (named.name === 'OnchainAddress') return oneOf(['ab'.repeat(20), `0x${'AB'.repeat(20)}`, 'cd']);
    return oneOf(texts[name] ?? ['text']);
  };
  const objectValue = (type: GraphQLInputObjectType): Record<string, unknown> =>
    Object.fromEntries(
      Object.values(type.getFields())
        .filter((field) => isNonNullType(field.type) || picks.isOften(35))
        .map((field) => [field.name, value(field.type, field.name)]),
    );
  /** A literal with variables at any depth. */
  const input = (type: GraphQLInputType, name: string, depth: number): string => {
    if (picks.isOften(depth === 0 ? 30 : 40)) return variable(String(type), value(type, name));
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return literal(value(type, name), type);
    const members = Object.values(named.getFields())
      .filter((field) => isNonNullType(field.type) || picks.isOften(35))
      .map((field) => `${field.name}: ${input(field.type, field.name, depth + 1)}`);
    return `{ ${members.join(', ')} }`;
  };
  return { declared, fragments, variables, directive, selection, input };
}

function literal(value: unknown, type: GraphQLInputType): string {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, type)).join(', ')}]`;
  return isEnumType(getNamedType(type)) && value !== null ? String(value) : JSON.stringify(value);
}
