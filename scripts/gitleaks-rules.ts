/**
 * Writes src/shared/redaction/generated/gitleaks-rules.ts from a release of gitleaks (MIT):
 * `node scripts/gitleaks-rules.ts v8.30.1 [file]`. The file is its config/gitleaks.toml; without one it is downloaded.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { isLinear, literalBeginnings, prefixUnitsMin, quoted, withoutBoundary } from './secret-patterns.ts';

const target = 'src/shared/redaction/generated/gitleaks-rules.ts';

/** Parts of gitleaks' patterns, as its generator writes them. */
const valueEnd = String.raw`(?:[\x60'"\s;]|\\[nr]|$`;
const operator = String.raw`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}(`;
const namedBeginning = /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?(?:\(\?i:\[\\w\.-\]\{0,50\}\?)?\(\?:(.+?)\)\(\?:\[ \\t/;

/** Finders of our own know these: values that any name announces, addresses, and ids that are no secrets. */
const leftOut =
  /^(?:generic-api-key|curl-auth|private-key|jwt|hashicorp-tf-password|kubernetes|nuget|sonar)|client-id|public|publishable/;

type Rule = { readonly id: string; readonly source: string };

function rulesOf(toml: string): readonly Rule[] {
  return toml.split('[[rules]]').flatMap((block) => {
    const [, id] = /^id = "([\w-]+)"$/m.exec(block) ?? [];
    const [, source] = /^regex = '''(.*)'''$/m.exec(block) ?? [];
    return id === undefined || source === undefined || leftOut.test(id) ? [] : [{ id, source }];
  });
}

/** `[\w.-]{0,50}?(?:heroku)…=…([0-9a-f]{8}-…)`: a provider in the name, then the value. */
function namedRow({ source }: Rule): string | undefined {
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
  return `  { providers: [${[...new Set(words)].map(quoted).join(', ')}], value: /${value}(?![\\w-])/iy },`;
}

/** `\b(sm_aat_[a-zA-Z0-9]{16})…`: a key that begins with letters of its own. */
function prefixedRow({ source }: Rule): string | undefined {
  const until = source.indexOf(valueEnd);
  const whole = plain(until === -1 ? source : source.slice(0, until));
  const unbounded = withoutBoundary(whole.replace(/\\b$/, ''));
  const bare = /^\((?!\?)(.*)\)$/.exec(unbounded)?.[1] ?? unbounded;
  const prefixes = literalBeginnings(bare).filter((prefix) => prefix.length >= prefixUnitsMin);
  if (prefixes.length === 0 || !isLinear({ source: bare }) || /:\\?\/|hooks|\\z/.test(bare)) return undefined;
  return `  { prefixes: [${prefixes.map(quoted).join(', ')}], pattern: /${bare}/${source.includes('(?i') ? 'iy' : 'y'} },`;
}

/** Flags inside of a pattern and classes of Go are no part of JavaScript's. */
function plain(source: string): string {
  return source
    .replaceAll('(?i)', '')
    .replaceAll(/\(\?-?i:/g, '(?:')
    .replaceAll('[[:alnum:]]', '[A-Za-z0-9]')
    .replaceAll(String.raw`\x60`, '`');
}

const [, , version = '', file] = process.argv;
if (!/^v\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the release, such as v8.30.1.');
const toml =
  file === undefined
    ? await (await fetch(`https://raw.githubusercontent.com/gitleaks/gitleaks/${version}/config/gitleaks.toml`)).text()
    : await readFile(file, 'utf8');
const rules = rulesOf(toml);
const named = rules.map(namedRow);
const prefixed = rules.map((rule, index) => (named[index] === undefined ? prefixedRow(rule) : undefined));
const written = `/**
 * Generated from gitleaks ${version} by \`scripts/gitleaks-rules.ts\`. Never edited.
 * MIT License, Copyright (c) 2019 Zachary Rice, https://github.com/gitleaks/gitleaks (docs/masking.md has the licence).
 */
export const prefixedKeys = [
${prefixed.filter((row) => row !== undefined).join('\n')}
] as const;

/** A value of this form is a secret if its name has the word of the provider in it. */
export const providerValues = [
${named.filter((row) => row !== undefined).join('\n')}
] as const;
`;
await writeFile(target, written);
const left = rules.filter((_, index) => named[index] === undefined && prefixed[index] === undefined);
console.log(`Left out: ${left.map(({ id }) => id).join(', ')}.`);
