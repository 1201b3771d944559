/**
 * Writes src/shared/redaction/generated/gitleaks-rules.ts from a release of gitleaks (MIT):
 * `node scripts/gitleaks-rules.ts v8.30.1 [file]`. The file is its config/gitleaks.toml; without one it is downloaded.
 * Keys that begin with letters of their own are rows of tokens.ts: the script prints the beginnings that no row has.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { shapes } from '../src/shared/redaction/tokens.ts';

const prefixUnitsMin = 3;
const target = 'src/shared/redaction/generated/gitleaks-rules.ts';

/** Parts of gitleaks' patterns, as its generator writes them. */
const valueEnd = String.raw`(?:[\x60'"\s;]|\\[nr]|$`;
const operator = String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`;
const namedBeginning = /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?(?:\(\?i:\[\\w\.-\]\{0,50\}\?)?\(\?:(.+?)\)\(\?:\[ \\t/;

/** Finders of our own know these: values that any name announces, addresses, and ids that are no secrets. */
const leftOut =
  /^(?:generic-api-key|curl-auth|private-key|jwt|hashicorp-tf-password|kubernetes|nuget|sonar)|client-id|public|publishable/;

type Rule = { readonly id: string; readonly source: string };
type NamedValue = { readonly words: readonly string[]; readonly value: string };

function rulesOf(toml: string): readonly Rule[] {
  return toml.split('[[rules]]').flatMap((block) => {
    const [, id] = /^id = "([\w-]+)"$/m.exec(block) ?? [];
    const [, source] = /^regex = '''(.*)'''$/m.exec(block) ?? [];
    return id === undefined || source === undefined || leftOut.test(id) ? [] : [{ id, source }];
  });
}

/** `[\w.-]{0,50}?(?:heroku)…=…([0-9a-f]{8}-…)`: a provider in the name, then the value. */
function namedValue({ source }: Rule): NamedValue | undefined {
  const [, providers] = namedBeginning.exec(source) ?? [];
  const from = source.indexOf(operator);
  const until = source.indexOf(`)${valueEnd}`);
  if (providers === undefined || from === -1 || until < from) return undefined;
  const value = plain(source.slice(from + operator.length, until));
  const words = providers
    .replace(/\(\?-i:|[()]/g, '')
    .replace(/\[(\w)\w\]/g, '$1')
    .split('|')
    .map((word) => word.toLowerCase().replaceAll(/\[[_.-]+\]\??/g, ''));
  const isNumber = /^\[0-9\]\{\d+\}$/.test(value);
  const isWords = words.every((word) => /^[a-z_-]{3,40}$/.test(word));
  if (isNumber || !isWords || !isLinear({ source: value })) return undefined;
  return { words, value };
}

/** `\b(sm_aat_[a-zA-Z0-9]{16})…`: the letters that a key begins with. */
function prefixesOf({ source }: Rule): readonly string[] {
  const whole = plain(source).replace(/^\\b/, '');
  const bare = /^\((?!\?)(.*)$/.exec(whole)?.[1] ?? whole;
  return literalBeginnings(bare).filter((prefix) => prefix.length >= prefixUnitsMin);
}

/** Flags inside of a pattern and classes of Go are no part of JavaScript's. */
function plain(source: string): string {
  return source
    .replaceAll('(?i)', '')
    .replaceAll(/\(\?-?i:/g, '(?:')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll(String.raw`\x60`, '`');
}

/** Refuses patterns that could scan a text more than once: unbounded or nested repetition, or two adjacent repetitions of the same text. */
function isLinear({ source }: { readonly source: string }): boolean {
  const plain = source
    .replace(/\\./g, '_')
    .replace(/\[[^\]]*\]/g, '_')
    .replace(/\(\?(?:<\w+>|[:=!]|<[=!])/g, '(');
  return !/[*+]|\{\d+,\}/.test(plain) && !/\([^()]*[}?][^()]*\)[{?]/.test(plain) && !/\}(?:\(_\?\)|_\?)_\{/.test(plain);
}

/** The literals that a match can begin with: one, or each of a group. */
function literalBeginnings(source: string): readonly string[] {
  const [, choices, after = ''] = /^\((?:\?<\w+>|\?:)?([\w|-]+)\)(.*)$/.exec(source) ?? [];
  return choices === undefined ? [literal(source)] : choices.split('|').map((choice) => choice + literal(after));
}

function literal(source: string): string {
  const [found = ''] = /^(?:[A-Za-z0-9_-]|\\[./-])*/.exec(source) ?? [];
  return found.replaceAll('\\', '');
}

const [, , version = '', file] = process.argv;
if (!/^v\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the release, such as v8.30.1.');
const toml =
  file === undefined
    ? await (await fetch(`https://raw.githubusercontent.com/gitleaks/gitleaks/${version}/config/gitleaks.toml`)).text()
    : await readFile(file, 'utf8');
const rules = rulesOf(toml);
const named = rules.map(namedValue);
const wordsByValue = new Map<string, Set<string>>();
for (const { words, value } of named.filter((found) => found !== undefined))
  wordsByValue.set(value, new Set([...(wordsByValue.get(value) ?? []), ...words]));
const rows = [...wordsByValue].map(
  ([value, words]) => `  { providers: '${[...words].join(' ')}', value: /${value}(?![\\w-])/iy },`,
);
const written = `/**
 * Generated from gitleaks ${version} by \`scripts/gitleaks-rules.ts\`. Never edited.
 * MIT License, Copyright (c) 2019 Zachary Rice, https://github.com/gitleaks/gitleaks (docs/masking.md has the licence).
 */
/** A value of this form is a secret if its name has the word of the provider in it. */
export const providerValues = [
${rows.join('\n')}
] as const;
`;
await writeFile(target, written);
const known = shapes.flatMap(({ prefixes }) => prefixes);
const unknown = rules
  .filter((_, index) => named[index] === undefined)
  .map((rule) => ({ id: rule.id, prefixes: prefixesOf(rule) }))
  .filter(
    ({ prefixes }) => prefixes.length === 0 || prefixes.some((prefix) => !known.some((row) => prefix.startsWith(row))),
  );
for (const { id, prefixes } of unknown) console.log(`No row of tokens.ts: ${id} (${prefixes.join(', ')}).`);
