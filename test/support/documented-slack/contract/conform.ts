/** Checks a value against a type of the SDK: missing, unknown and wrong fields, each with its path. */
import { isRecord, type JsonRecord } from '../../../../src/shared/json.ts';
import type { ObjectType, Type } from './sdk-types.ts';

/** A problem as Slack words it: `must be a string [json-pointer:/blocks/0/text]`. */
export type Problem = { readonly pointer: string; readonly message: string };

/** @param pointer of the value in the call, as a JSON pointer */
export function conform(type: Type, value: unknown, pointer: string): readonly Problem[] {
  const problem = (message: string): readonly Problem[] => [{ pointer, message }];
  switch (type.kind) {
    case 'any':
      return [];
    case 'never':
    case 'nothing':
      return value === undefined ? [] : problem('is not accepted here');
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type.kind ? [] : problem(`must be a ${type.kind}`);
    case 'literal':
      return value === type.value ? [] : problem(`must be ${JSON.stringify(type.value)}`);
    case 'array':
      if (!Array.isArray(value)) return problem('must be an array');
      return value.flatMap((each, index) => conform(type.of, each, `${pointer}/${index}`));
    case 'object':
      return isRecord(value) ? conformFields(type, value, pointer) : problem('must be an object');
    case 'union':
      return conformOne(type.of, value, pointer);
  }
}

function conformFields(type: ObjectType, value: JsonRecord, pointer: string): readonly Problem[] {
  const { fields } = type;
  const missing = [...fields].filter(([name, { type, isOptional }]) => {
    return value[name] === undefined && !isOptional && type().kind !== 'never';
  });
  return [
    ...missing.map(([name]) => ({ pointer, message: `missing required field: ${name}` })),
    ...unknownIn(type, value).map((name) => ({ pointer: `${pointer}/${name}`, message: `unknown field: ${name}` })),
    ...[...fields].flatMap(([name, { type }]) =>
      value[name] === undefined ? [] : conform(type(), value[name], `${pointer}/${name}`),
    ),
  ];
}

function unknownIn(type: Type, value: unknown): readonly string[] {
  if (type.kind !== 'object' || type.isOpen || !isRecord(value)) return [];
  // A field of the type `never` is one that this alternative forbids.
  return Object.keys(value).filter((name) => (type.fields.get(name)?.type().kind ?? 'never') === 'never');
}

/** Meant is the alternative with the same `type`, else the one that knows most of the fields, with the fewest problems. */
function conformOne(alternatives: readonly Type[], value: unknown, pointer: string): readonly Problem[] {
  const meant = isRecord(value) ? alternatives.filter((each) => isOfType(each, value['type'])) : alternatives;
  const hasTypes = alternatives.every((each) => each.kind === 'object' && each.fields.has('type'));
  if (meant.length === 0 && hasTypes && isRecord(value)) {
    return [{ pointer, message: `unsupported type: ${String(value['type'])}` }];
  }
  const tried = (meant.length > 0 ? meant : alternatives).map((each) => {
    const problems = conform(each, value, pointer);
    return { problems, unknown: unknownIn(each, value).length };
  });
  const [best] = tried.toSorted(
    (one, other) => one.unknown - other.unknown || one.problems.length - other.problems.length,
  );
  return best?.problems ?? [];
}

function isOfType(type: Type, name: unknown): boolean {
  if (type.kind !== 'object') return false;
  const declared = type.fields.get('type')?.type();
  return declared !== undefined && conform(declared, name, '').length === 0;
}

/** Arguments of a call, decoded from the texts of a form as each argument's type wants. */
export function decode(type: Type, fields: Readonly<Record<string, string>>): JsonRecord {
  const alternatives = type.kind === 'union' ? type.of : [type];
  const decoded = Object.entries(fields).map(([name, text]) => {
    const types = alternatives.flatMap((each) => (each.kind === 'object' ? (each.fields.get(name) ?? []) : []));
    const found = types.map((each) => parseAs(each.type(), text)).find((value) => value !== undefined);
    return [name, found ?? text] as const;
  });
  return Object.fromEntries(decoded);
}

/** @returns undefined if the text is no value of the type */
function parseAs(type: Type, text: string): unknown {
  if (type.kind === 'union') {
    return type.of.map((each) => parseAs(each, text)).find((value) => value !== undefined);
  }
  if (type.kind === 'never') return undefined;
  if (type.kind === 'string') return text;
  if (type.kind === 'literal' && type.value === text) return text;
  if (type.kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
