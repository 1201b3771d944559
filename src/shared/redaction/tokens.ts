/** Finds keys by their shapes: the maintained rules of secretlint, then those of the table beside this file. */

import { secretRules } from './generated/secret-rules.ts';
import { isRandomToken } from './judge.ts';
import type { SecretKind, SecretMatch } from './marks.ts';
import { beforeInfix, type Shape, shapes } from './shapes.ts';
import { skip } from './values.ts';

const kindOfRule: Readonly<Record<string, SecretKind>> = {
  slack: 'Slack token',
  github: 'GitHub token',
  gitlab: 'GitLab token',
  npm: 'npm token',
};

type Rule = { readonly kind: SecretKind; readonly prefix: string; readonly pattern: RegExp };
type Rules = { readonly whole: readonly Rule[]; readonly shapes: readonly (Shape & { readonly prefix: string })[] };

const wholeRules = secretRules.flatMap(({ provider, prefixes, pattern }): readonly Rule[] =>
  prefixes.map((prefix) => ({ kind: kindOfRule[provider] ?? 'API key', prefix, pattern })),
);
const prefixedShapes = shapes.flatMap((shape) => shape.prefixes.map((prefix) => ({ ...shape, prefix })));
/** The longest prefix wins, and brings along what begins with a part of it. */
const prefixes = [...new Set([...wholeRules, ...prefixedShapes].map(({ prefix }) => prefix))].sort(
  (one, other) => other.length - one.length,
);
const rulesByPrefix: ReadonlyMap<string, Rules> = new Map(
  prefixes.map((found) => [
    found,
    {
      whole: wholeRules.filter(({ prefix }) => found.startsWith(prefix)),
      shapes: prefixedShapes.filter(({ prefix }) => found.startsWith(prefix)),
    },
  ]),
);
const anyPrefix = prefixes.map((prefix) => prefix.replace(/[^A-Za-z0-9_-]/g, '\\$&')).join('|');

export const tokenHints = new RegExp(`\\b(${anyPrefix})`, 'g');
/** What is left of an escape in JSON or in a URL seems to belong to the word: `\nghp_…`, `%3Dghp_…`. */
export const escapedTokenHints = new RegExp(`[\\\\%](?:[nrtbf]|u[0-9a-fA-F]{4}|[0-9a-fA-F]{2})(${anyPrefix})`, 'g');

export function findInfix(text: string, { index, 0: found }: RegExpExecArray): readonly SecretMatch[] {
  const before = beforeInfix.exec(text.slice(Math.max(0, index - 30), index))?.[0];
  return before === undefined ? [] : [{ kind: 'API key', start: index - before.length, end: index + found.length }];
}

export function findToken(text: string, { index, 0: whole, 1: found = '' }: RegExpExecArray): readonly SecretMatch[] {
  const start = index + whole.length - found.length;
  const rules = rulesByPrefix.get(found);
  for (const { kind, pattern } of rules?.whole ?? []) {
    pattern.lastIndex = start;
    if (pattern.test(text)) return [{ kind, start, end: pattern.lastIndex }];
  }
  for (const { kind, prefix, body, rest, isCommon } of rules?.shapes ?? []) {
    body.lastIndex = start + prefix.length;
    const judged = body.exec(text)?.[0];
    if (judged === undefined || !isSecretBody(judged, isCommon)) continue;
    const end = skip(rest, text, body.lastIndex);
    return [{ kind, start, end: end - (/(?<![.~-])[.~-]+$/.exec(text.slice(end - 8, end))?.[0].length ?? 0) }];
  }
  return [];
}

/** A name with hyphens may begin as a key does: `sk-learn-contrib-…`. */
function isSecretBody(body: string, isCommon: boolean): boolean {
  return isCommon ? isRandomToken(body, 16) : !/^[a-z]+(?:[-_.][a-z]+)+$/.test(body);
}

export const privateKeyHints = /-----BEGIN /g;

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key without its end is masked to the end of the text: the rest is the key. */
export function findPrivateKey(text: string, { index: at }: RegExpExecArray): readonly SecretMatch[] {
  header.lastIndex = at;
  if (!header.test(text)) return [];
  footer.lastIndex = header.lastIndex;
  const end = footer.test(text) ? footer.lastIndex : text.length;
  return [{ kind: 'private key', start: at, end }];
}
