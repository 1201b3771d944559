/** The table of methods and scopes in docs/slack-app.md agrees with the source, the requested scopes and the manifest. */
import { readdirSync, readFileSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { linkScopes, optionalScopes, requiredScopes } from '../../../../src/bot/slack/installation/scopes.ts';

type Row = {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly need: string;
  readonly purpose: string;
};

const page = readFileSync('docs/slack-app.md', 'utf8');
const sources = readdirSync('src/bot', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(`src/bot/${name}`, 'utf8').replaceAll(/\s*\.\s*/g, '.'));

/** Rows of the first table after this heading. */
function rowsAfter(heading: string): readonly Row[] {
  const [, below = ''] = page.split(`## ${heading}\n`);
  const [table = ''] = /^\|.*\|$(\n^\|.*\|$)*/m.exec(below) ?? [];
  return table
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map(([name = '', scopes = '', need = '', purpose = '']) => ({
      name: name.trim().replaceAll('`', ''),
      scopes: [...scopes.matchAll(/`([^`]+)`/g)].map(([, scope = '']) => scope),
      need: need.trim(),
      purpose: purpose.trim(),
    }));
}

const rows = rowsAfter('Scopes');

/** Every method of the SDK, such as `chat.postMessage`. */
function methodsOf(value: object, path: readonly string[] = []): readonly string[] {
  return Object.entries(value).flatMap(([key, member]) => {
    if (typeof member === 'function') return path.length > 0 ? [[...path, key].join('.')] : [];
    return typeof member === 'object' && member !== null && path.length < 3 ? methodsOf(member, [...path, key]) : [];
  });
}

/** A call through a client, a group of methods that was taken from one, or `fetch`. */
function callsIn(source: string, method: string): boolean {
  return new RegExp(`(^|[^\\w'"])${method.replaceAll('.', '\\.')}([(\`])`).test(source);
}

const isMethod = (name: string) => /^[a-z][\w]*\.\w/.test(name) && name !== 'message.im';

test('every method that the source calls has a row, and every row is called', () => {
  const sdk = methodsOf(new WebClient());
  expect(sdk).toEqual(expect.arrayContaining(['chat.postMessage', 'oauth.v2.access', 'files.completeUploadExternal']));
  const called = sdk.filter((method) => sources.some((source) => callsIn(source, method)));
  expect(
    rows
      .map(({ name }) => name)
      .filter(isMethod)
      .toSorted(),
  ).toEqual(called.toSorted());
});

test('every event to which the manifest subscribes has a row', () => {
  const manifest = parse(readFileSync('manifest.yml', 'utf8').replaceAll(/^( *)#(?:http|links) /gm, '$1'));
  const events: readonly string[] = manifest.settings.event_subscriptions.bot_events;
  expect(
    rows
      .map(({ name }) => name)
      .filter((name) => !isMethod(name) && name !== 'slash command')
      .toSorted(),
  ).toEqual(events.toSorted());
});

test.each([
  ['required', requiredScopes],
  ['optional', optionalScopes],
  ['with links', linkScopes],
])('the %s scopes of the table are those that the installation requests and the manifest names', (need, requested) => {
  const scopes = new Set(rows.filter((row) => row.need === need).flatMap((row) => row.scopes));
  expect([...scopes].toSorted()).toEqual([...requested].toSorted());
});

test('each row says what the scope is for and what is lost without it; a row without a scope needs none', () => {
  for (const { name, scopes, need, purpose } of rows) {
    expect(purpose, name).not.toBe('');
    expect(need === '', name).toBe(scopes.length === 0);
  }
});

test('no scope of an assistant or agent is requested', () => {
  for (const scope of [...requiredScopes, ...optionalScopes, ...linkScopes])
    expect(scope).not.toMatch(/assistant|agent|^mcp/);
});
