/** The operator's list of query services. */
import { expect, test } from 'vitest';
import { readEndpoints } from '../../../src/bot/query/endpoints.ts';

const usual = 'https://api.example.com/graphql';

test('the default endpoint comes first, and each of the others once, with the default path if it has none', () => {
  const listed = ['https://b.example', usual, 'private:https://b.example/graphql', 'https://c.example:8443/query'];
  const { urls } = readEndpoints(usual, listed);
  expect(urls).toEqual([usual, 'https://b.example/graphql', 'https://c.example:8443/query']);
});

test.each([
  ['https://b.example', []],
  ['http://b.example', ['http://b.example']],
  ['https://10.0.0.1', ['https://10.0.0.1']],
  ['https://query.internal', ['https://query.internal']],
  ['private:https://b.example', ['https://b.example']],
])('%s: the warning to the operator names %j', (entry, unguarded) => {
  expect(readEndpoints(usual, [entry]).unguarded).toEqual(unguarded);
});

test('the warning also names the default endpoint, and each origin once', () => {
  const twice = ['http://127.0.0.1:4000/other'];
  expect(readEndpoints('http://127.0.0.1:4000/graphql', twice).unguarded).toEqual(['http://127.0.0.1:4000']);
});
