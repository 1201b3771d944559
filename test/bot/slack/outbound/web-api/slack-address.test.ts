/** Only addresses of the configured Slack are contacted: scheme, host, port and path have to match. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  readSlackAddress,
  type SlackAddressKind,
} from '../../../../../src/bot/slack/outbound/web-api/slack-address.ts';

const slack = 'https://slack.com/api/';
const gov = 'https://slack-gov.com/api/';
const local = 'http://127.0.0.1:4567/api/';
const nested = 'https://relay.example:8443/slack/api/';

const reads = (kind: SlackAddressKind, text: string, api: string) => readSlackAddress(kind, text, api) !== undefined;

const good: readonly (readonly [kind: SlackAddressKind, text: string, api: string])[] = [
  ...['commands', 'actions', 'app', 'app-actions'].map(
    (path) =>
      ['response', `https://hooks.slack.com/${path}/T012AB0A1/123456789/JpmK0yzoZDeRiqfeduTBYXWQ`, slack] as const,
  ),
  ['response', 'HTTPS://HOOKS.Slack.com:443/commands/T1/2/a', slack],
  ['response', 'https://hooks.slack.com/commands/T1/2/a', nested],
  ['response', 'https://hooks.slack-gov.com/actions/T1/2/a', gov],
  ['response', 'http://127.0.0.1:4567/commands/T1/a', local],
  ['response', 'https://relay.example:8443/slack/commands/T1/a', nested],
  ['response', 'http://relay.example/commands/T1', 'http://relay.example:80/api/'],
  ['upload', 'https://files.slack.com/upload/v1/CwABAAAAXAoAAV', slack],
  ['upload', 'http://127.0.0.1:4567/upload/v1/key', local],
  ['socket', 'wss://wss-primary.slack.com/link/?ticket=12348&app_id=5678', slack],
  ['socket', 'wss://wss.slack.com:443/link/?ticket=1', slack],
  ['socket', 'ws://127.0.0.1:4567/link/?ticket=1', local],
  ['socket', 'ws://localhost:4567/link/?ticket=1', local],
  ['socket', 'ws://[::1]:4567/link/?ticket=1', 'http://localhost:4567/api/'],
  ['response', 'http://localhost:4567/commands/T1/a', local],
];

test.each(good)('%s %s is accepted for %s', (kind, text, api) => {
  expect(readSlackAddress(kind, text, api)?.href).toBe(new URL(text).href);
});

/** Each turns an address that is accepted into one that leads, or may be read to lead, somewhere else. */
const turns: Readonly<Record<string, (url: URL, text: string) => string>> = {
  'another port': (url) => `${url.protocol}//${url.hostname}:4568${url.pathname}`,
  'the other scheme': (url) =>
    url.href.replace(/^(https?|wss?)/, (name) => (name.endsWith('s') ? name.slice(0, -1) : `${name}s`)),
  'a scheme of another kind': (url) => url.href.replace(/^[a-z]+/, (name) => (name.startsWith('ws') ? 'https' : 'wss')),
  'a user name': (url) => url.href.replace('//', '//u@'),
  'user info that is empty': (url) => url.href.replace('//', '//@'),
  'a host in the user info': (url) => url.href.replace(url.host, `${url.host}@evil.example`),
  'a longer domain': (url) => url.href.replace(url.hostname, `${url.hostname}.evil.example`),
  'a longer label': (url) => url.href.replace(/slack(?:-gov)?\.com|127|relay|localhost|\[::1\]/, 'evil$&'),
  'an address written as one number': (url) => url.href.replace(url.hostname, '2130706433'),
  'a trailing dot': (url) => url.href.replace(url.hostname, `${url.hostname}.`),
  'a letter that looks alike': (url) => url.href.replace(/(?<=\/\/[^/]*)[ar1]/, 'а'),
  'its punycode': (url) => url.href.replace(url.hostname, 'xn--hooks-3ve.slack.com'),
  'a full-width letter': (url) =>
    url.href.replace(/(?<=\/\/)./, (first) => String.fromCodePoint(first.charCodeAt(0) + 0xfee0)),
  'a soft hyphen': (url) => url.href.replace(url.hostname, `\u00ad${url.hostname}`),
  'an encoded host': (url) => url.href.replace(/(?<=\/\/)./, (first) => `%${first.charCodeAt(0).toString(16)}`),
  'a backslash for a slash': (url) => url.href.replace(url.pathname, `\\${url.pathname.slice(1)}`),
  'a backslash before an @': (url) => url.href.replace(url.host, `evil.example\\@${url.host}`),
  'backslashes after the scheme': (url) => url.href.replace('//', '\\\\'),
  'one slash after the scheme': (url) => url.href.replace('//', '/'),
  'no slash after the scheme': (url) => url.href.replace('//', ''),
  'a step up': (url) => `${url.origin.replace('null', '')}${url.pathname}/../../../services/T1/B1/x`,
  'an encoded step up': (url) => `${url.href}/%2e%2e/%2E%2e/services/x`,
  'an encoded slash': (url) => `${url.href}/..%2f..%2Fservices`,
  'an encoded backslash': (url) => `${url.href}/..%5c..%5Cservices`,
  'an encoding encoded': (url) => `${url.href}/%252e%252e%252fservices`,
  'a line feed': (url) => `${url.href}\n`,
  'a tab in the host': (url) => url.href.replace('//', '//\t'),
  'a blank before it': (url) => ` ${url.href}`,
  'an encoded line feed': (url) => `${url.href}%0d%0aHost:evil`,
  'a fragment': (url) => `${url.href}#@evil.example/`,
  'no scheme': (url) => url.href.replace(/^[a-z]+:/, ''),
};

test.each(Object.entries(turns))('with %s none of them is accepted', (_, turn) => {
  for (const [kind, text, api] of good) {
    const turned = turn(new URL(text), text);
    expect(turned).not.toBe(text);
    expect([turned, reads(kind, turned, api)]).toEqual([turned, false]);
  }
});

test.each([
  ['response', 'https://hooks.slack.com/services/T1/B1/x', slack],
  ['response', 'https://hooks.slack.com/triggers/T1/1/x', slack],
  ['response', 'https://hooks.slack.com/workflows/T1/A1/1/x', slack],
  ['response', 'https://hooks.slack.com/commands', slack],
  ['response', 'https://slack.com/commands/T1/2/a', slack],
  ['response', 'https://acme.slack.com/commands/T1/2/a', slack],
  ['response', 'https://relay.example:8443/commands/T1/a', nested],
  ['upload', 'https://files.slack.com/files-pri/T1-F1/a', slack],
  ['upload', 'https://a.b.slack.com/upload/v1/a', slack],
  ['socket', 'wss://slack.com/link', slack],
  ['socket', '', slack],
] as const)('%s %s is refused', (kind, text, api) => expect(reads(kind, text, api)).toBe(false));

test('an accepted address has the scheme, host and port of Slack, whatever the text is', () => {
  const part = fc.constantFrom(
    ...[
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      ':',
      '443',
      '4567',
      '127.0.0.1',
      'hooks',
      'slack.com',
      '.',
      '..',
      '%2f',
    ],
    ...['evil.example', 'commands', '#', '?', ' ', '\t', 'xn--', 'x'],
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), fc.constantFrom(slack, local, nested), (parts, api) => {
      const text = parts.join('');
      const url = readSlackAddress('response', text, api);
      const origins = ['https://hooks.slack.com', ...(api === slack ? [] : [new URL(api).origin])];
      if (url) expect(origins).toContain(new URL(text).origin);
    }),
    { numRuns: 5_000 },
  );
});
