/** Reads the type declarations of Slack's SDK as data, so that a value can be checked against them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, type Statement, type TSSignature, type TSType } from 'oxc-parser';
import { amended } from './later-declarations.ts';

export type Type =
  | { readonly kind: 'any' | 'never' | 'nothing' | 'string' | 'number' | 'boolean' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'array'; readonly of: Type }
  | { readonly kind: 'union'; readonly of: readonly Type[] }
  | ObjectType;

export type ObjectType = {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, Field>;
  /** True if it may have any other field. */
  readonly isOpen: boolean;
};

/** The type is resolved when it is needed, since declarations refer to each other in circles. */
type Field = { readonly type: () => Type; readonly isOptional: boolean };

type Declaration = { readonly node: Statement; readonly file: string };
type Bindings = ReadonlyMap<string, Type>;

const modules = join(import.meta.dirname, '../../../../node_modules');
const entries = {
  '@slack/types': join(modules, '@slack/types/dist/index.d.ts'),
  '@slack/web-api': join(modules, '@slack/web-api/dist/methods.d.ts'),
};
const any: Type = { kind: 'any' };

type Module = {
  readonly own: ReadonlyMap<string, Declaration>;
  /** Sources of names that it imports or re-exports one by one. */
  readonly imports: ReadonlyMap<string, string>;
  /** Sources whose names it exports as well. */
  readonly passesOn: readonly string[];
};

const files = new Map<string, Module>();

function readModule(file: string): Module {
  const known = files.get(file);
  if (known) return known;
  const { program, errors } = parseSync(file, amended(file, readFileSync(file, 'utf8')));
  if (errors.length > 0) throw new Error(`${file} cannot be parsed.`);
  const own = program.body.flatMap((statement) => {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    return node && 'id' in node && node.id && 'name' in node.id ? [[node.id.name, { node, file }] as const] : [];
  });
  const imports = program.body.flatMap((statement) => {
    if (!('specifiers' in statement) || !statement.source) return [];
    const { source, specifiers } = statement;
    return specifiers.map(({ local }) => [nameOf(local), source.value] as const);
  });
  const passesOn = program.body.flatMap((statement) =>
    statement.type === 'ExportAllDeclaration' ? [statement.source.value] : [],
  );
  const module = { own: new Map(own), imports: new Map(imports), passesOn };
  files.set(file, module);
  return module;
}

/** Looks into imports and re-exports too; the SDK renames nothing. @returns undefined for a name of another package */
function find(file: string, name: string): Declaration | undefined {
  const { own, imports, passesOn } = readModule(file);
  const declaration = own.get(name);
  if (declaration) return declaration;
  const source = imports.get(name);
  for (const each of source === undefined ? passesOn : [source]) {
    const path = fileOf(file, each);
    const found = path && find(path, name);
    if (found) return found;
  }
  return undefined;
}

function fileOf(from: string, source: string): string | undefined {
  if (source === '@slack/types') return entries[source];
  if (!source.startsWith('.')) return undefined;
  const path = join(dirname(from), source);
  return [`${path}.d.ts`, `${path}/index.d.ts`].find((each) => existsSync(each));
}

/** @throws Error if the SDK has no such type */
export function sdkType(name: string): Type {
  const declaration = find(entries['@slack/types'], name);
  if (!declaration) throw new Error(`@slack/types does not declare ${name}.`);
  return declared(declaration, []);
}

const argumentTypes = new Map<string, Type | undefined>();

/** @param method such as `chat.postMessage` @returns the type of its arguments; undefined if Slack has no such method */
export function argumentsOf(method: string): Type | undefined {
  if (!argumentTypes.has(method)) argumentTypes.set(method, findArguments(method.split('.')));
  return argumentTypes.get(method);
}

function findArguments(path: readonly string[]): Type | undefined {
  const file = entries['@slack/web-api'];
  const [first, ...rest] = path;
  const methods = readModule(file).own.get('Methods')?.node;
  if (methods?.type !== 'ClassDeclaration') throw new Error('The SDK declares its methods in another way.');
  const group = methods.body.body.find((member) => 'key' in member && nameOf(member.key) === first);
  let type = group && 'typeAnnotation' in group ? group.typeAnnotation?.typeAnnotation : undefined;
  for (const step of rest) type = type?.type === 'TSTypeLiteral' ? memberOf(type.members, step) : undefined;
  const taken = type?.type === 'TSTypeReference' ? type.typeArguments?.params[0] : undefined;
  return taken && resolve(taken, file, new Map());
}

function memberOf(members: readonly TSSignature[], name: string): TSType | undefined {
  const member = members.find((each) => each.type === 'TSPropertySignature' && nameOf(each.key) === name);
  return member && 'typeAnnotation' in member ? member.typeAnnotation?.typeAnnotation : undefined;
}

function nameOf(key: unknown): string {
  const { name, value } = Object(key);
  return String(name ?? value);
}

function declared({ node, file }: Declaration, given: readonly Type[]): Type {
  switch (node.type) {
    case 'TSTypeAliasDeclaration':
      return resolve(node.typeAnnotation, file, bound(node.typeParameters, given));
    case 'TSEnumDeclaration': {
      const values = node.body.members.map(({ initializer }) => Object(initializer).value);
      return { kind: 'union', of: values.map((value: unknown) => ({ kind: 'literal', value })) };
    }
    case 'TSInterfaceDeclaration': {
      const bindings = bound(node.typeParameters, given);
      const own = objectOf(node.body.body, file, bindings);
      const parents = node.extends.map(({ expression, typeArguments }) =>
        reference(nameOf(expression), typeArguments?.params ?? [], file, bindings),
      );
      // Its own fields come last and replace those of its parents.
      return [...parents, own].reduce((one, other) => both(one, other));
    }
    default:
      throw new Error(`A declaration of ${file} is neither a type nor an interface, but ${node.type}.`);
  }
}

type Parameters = { readonly params: readonly { readonly name: { readonly name: string } }[] } | null;

function bound(parameters: Parameters, given: readonly Type[]): Bindings {
  return new Map(parameters?.params.map(({ name }, index) => [name.name, given[index] ?? any] as const));
}

const keywords: Readonly<Record<string, Type>> = {
  TSAnyKeyword: any,
  TSUnknownKeyword: any,
  TSObjectKeyword: { kind: 'object', fields: new Map(), isOpen: true },
  TSNeverKeyword: { kind: 'never' },
  TSNullKeyword: { kind: 'nothing' },
  TSUndefinedKeyword: { kind: 'nothing' },
  TSStringKeyword: { kind: 'string' },
  TSNumberKeyword: { kind: 'number' },
  TSBooleanKeyword: { kind: 'boolean' },
};

function resolve(node: TSType, file: string, bindings: Bindings): Type {
  switch (node.type) {
    case 'TSParenthesizedType':
      return resolve(node.typeAnnotation, file, bindings);
    case 'TSLiteralType':
      return { kind: 'literal', value: Object(node.literal).value };
    case 'TSUnionType':
      return unionOf(node.types.map((each) => resolve(each, file, bindings)));
    case 'TSIntersectionType':
      return node.types.map((each) => resolve(each, file, bindings)).reduce((one, other) => both(one, other));
    case 'TSTypeLiteral':
      return objectOf(node.members, file, bindings);
    case 'TSArrayType':
      return arrayOf(node.elementType, file, bindings);
    case 'TSTupleType': {
      const [first] = node.elementTypes;
      if (!first || first.type === 'TSRestType' || first.type === 'TSOptionalType') return { kind: 'array', of: any };
      return arrayOf(first, file, bindings);
    }
    case 'TSTypeReference':
      return reference(nameOf(node.typeName), node.typeArguments?.params ?? [], file, bindings);
    default: {
      const keyword = keywords[node.type];
      if (!keyword) throw new Error(`${file} has a ${node.type}, which cannot be checked.`);
      return keyword;
    }
  }
}

/** Resolved late, since a block may contain blocks. */
function arrayOf(element: TSType, file: string, bindings: Bindings): Type {
  let of: Type | undefined;
  return {
    kind: 'array',
    get of() {
      of ??= resolve(element, file, bindings);
      return of;
    },
  };
}

function objectOf(members: readonly TSSignature[], file: string, bindings: Bindings): ObjectType {
  const fields = new Map<string, Field>();
  for (const member of members) {
    if (member.type !== 'TSPropertySignature') continue;
    const annotation = member.typeAnnotation?.typeAnnotation;
    let type: Type | undefined;
    const late = () => {
      type ??= annotation ? resolve(annotation, file, bindings) : any;
      return type;
    };
    fields.set(nameOf(member.key), { type: late, isOptional: member.optional });
  }
  return { kind: 'object', fields, isOpen: members.some((member) => member.type === 'TSIndexSignature') };
}

function reference(name: string, given: readonly TSType[], file: string, bindings: Bindings): Type {
  const parameter = bindings.get(name);
  if (parameter) return parameter;
  const types = given.map((each) => resolve(each, file, bindings));
  const [of = any, keys = any] = types;
  switch (name) {
    case 'Array':
      return { kind: 'array', of };
    case 'Record':
      return { kind: 'object', fields: new Map(), isOpen: true };
    case 'Partial':
      return mapFields(of, (field) => ({ ...field, isOptional: true }));
    case 'Required':
      return mapFields(of, (field) => ({ ...field, isOptional: false }));
    case 'Pick':
      return mapFields(of, (field, key) => (accepts(keys, key) ? field : undefined));
    case 'Omit':
      return mapFields(of, (field, key) => (accepts(keys, key) ? undefined : field));
  }
  const declaration = find(file, name);
  // Streams and buffers, which are no JSON.
  return declaration ? declared(declaration, types) : any;
}

function accepts(keys: Type, name: string): boolean {
  return keys.kind === 'union' ? keys.of.some((key) => accepts(key, name)) : 'value' in keys && keys.value === name;
}

function mapFields(type: Type, change: (field: Field, key: string) => Field | undefined): Type {
  if (type.kind === 'union') return unionOf(type.of.map((each) => mapFields(each, change)));
  if (type.kind !== 'object') return type;
  const fields = [...type.fields].flatMap(([key, field]) => {
    const changed = change(field, key);
    return changed ? [[key, changed] as const] : [];
  });
  return { ...type, fields: new Map(fields) };
}

function unionOf(types: readonly Type[]): Type {
  const of = types
    .flatMap((each) => (each.kind === 'union' ? each.of : [each]))
    .filter(({ kind }) => kind !== 'nothing');
  const closed = of.filter((each) => !isCatchAll(each));
  const kept = closed.length > 0 ? closed : of;
  return kept.length === 1 && kept[0] ? kept[0] : { kind: 'union', of: kept };
}

/** `Block` and `Record` accept everything, so that the SDK's users can send what its types lack. */
function isCatchAll(type: Type): boolean {
  if (type.kind !== 'object') return false;
  const names = [...type.fields.keys()].toSorted().join(' ');
  return names === 'block_id type' && type.fields.get('type')?.type().kind === 'string'
    ? true
    : names === '' && type.isOpen;
}

/** An intersection; that of unions has one alternative for each pair. */
function both(one: Type, other: Type): Type {
  if (one.kind === 'union') return unionOf(one.of.map((each) => both(each, other)));
  if (other.kind === 'union') return unionOf(other.of.map((each) => both(one, each)));
  if (one.kind !== 'object') return one.kind === 'any' ? other : one;
  if (other.kind !== 'object') return one;
  const shared = [...other.fields].map(([name, field]) => {
    const known = one.fields.get(name);
    return [name, known ? narrower(known, field) : field] as const;
  });
  return { kind: 'object', fields: new Map([...one.fields, ...shared]), isOpen: one.isOpen || other.isOpen };
}

function narrower(one: Field, other: Field): Field {
  const isOptional = one.isOptional && other.isOptional;
  return { type: () => (one.type().kind === 'literal' ? one.type() : other.type()), isOptional };
}
