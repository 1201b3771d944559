/** The manifest that people paste into Slack: complete, within Slack's limits, and without unused scopes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { AppsManifestCreateArguments } from '@slack/web-api';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../../src/bot/config.ts';
import { redirectPath } from '../../../../src/bot/slack/installation/pages.ts';
import {
  botScopes,
  optionalScopes,
  requestedScopes,
  requiredScopes,
} from '../../../../src/bot/slack/installation/scopes.ts';
import { conform } from '../../../support/documented-slack/contract/conform.ts';
import { argumentsOf } from '../../../support/documented-slack/contract/sdk-types.ts';
import { manifestProblems, manifestsIn } from '../../../support/slack/manifest-schema.ts';

type Manifest = AppsManifestCreateArguments['manifest'];

const text = readFileSync('manifest.yml', 'utf8');
const read = (source: string): Manifest => parse(source);
const unmarked = (...marks: readonly string[]) =>
  marks.reduce((source, mark) => source.replaceAll(new RegExp(`^( *)#${mark} `, 'gm'), '$1'), text);

const manifests = [...manifestsIn(text)] as [string, Manifest][];

test.each(manifests)('%s it keeps every rule of Slack’s manifest schema', (_, manifest) => {
  expect(manifestProblems(manifest)).toEqual([]);
});

const [socketMode, httpMode] = ['in Socket Mode', 'in HTTP mode'] as const;

/** One change of the manifest, and the key that is refused then. */
const mutations: readonly [mode: string, path: string, value: unknown, refused: string][] = [
  [socketMode, 'shortcuts', [], '/shortcuts is no key'],
  [socketMode, 'settings/oauth_config', {}, '/settings/oauth_config is no key'],
  [socketMode, '_metadata/major_version', 3, '/_metadata/major_version'],
  [socketMode, 'display_information/name', 'x'.repeat(36), '/display_information/name'],
  [socketMode, 'display_information/name', undefined, '/display_information/name'],
  [socketMode, 'display_information/description', 'x'.repeat(141), '/display_information/description'],
  [socketMode, 'display_information/long_description', 'Too short.', '/display_information/long_description'],
  [socketMode, 'display_information/background_color', 'navy', '/display_information/background_color'],
  [socketMode, 'features/slash_commands', [], '/features/slash_commands'],
  [socketMode, 'features/slash_commands/0/command', 'workflow', '/features/slash_commands/0/command'],
  [socketMode, 'features/shortcuts/0/type', 'channel', '/features/shortcuts/0/type'],
  [socketMode, 'features/shortcuts/0/name', 'Explain why this one failed', '/features/shortcuts/0/name'],
  [socketMode, 'features/bot_user', undefined, '/features/bot_user is missing'],
  [socketMode, 'features/unfurl_domains', ['https://app.example.com'], '/features/unfurl_domains/0'],
  [socketMode, 'oauth_config/scopes/bot/0', 'command', '/oauth_config/scopes/bot/0'],
  [socketMode, 'oauth_config/scopes/bot/0', 'chat:write', '/oauth_config/scopes/bot lists an entry twice'],
  [socketMode, 'oauth_config/scopes/bot/0', 'pins:read', '/features/slash_commands needs the scope commands'],
  [socketMode, 'oauth_config/scopes/bot_optional/0', 'pins:read', '/oauth_config/scopes/bot_optional/0 pins:read'],
  [socketMode, 'oauth_config/scopes/bot/6', 'pins:read', '/settings/event_subscriptions/bot_events/8 message.im'],
  [
    socketMode,
    'settings/event_subscriptions/bot_events/0',
    'home_opened',
    '/settings/event_subscriptions/bot_events/0',
  ],
  [socketMode, 'settings/interactivity/is_enabled', 'yes', '/settings/interactivity/is_enabled'],
  [socketMode, 'settings/socket_mode_enabled', false, '/settings/event_subscriptions/request_url is missing'],
  [httpMode, 'features/slash_commands/0/url', undefined, '/features/slash_commands/0/url is missing'],
  [httpMode, 'settings/interactivity/request_url', 'bot.example.com', '/settings/interactivity/request_url'],
  [httpMode, 'settings/event_subscriptions/request_url', undefined, '/settings/event_subscriptions/request_url'],
];

test.each(mutations)('%s %s with the value %j is refused: %s', (mode, path, value, refused) => {
  const mutated = new Map(manifestsIn(text)).get(mode);
  const keys = path.split('/');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((part, key) => Reflect.get(Object(part), key), mutated);
  Reflect.set(Object(parent), last, value);
  expect(manifestProblems(mutated).join('\n')).toContain(refused);
});

test.each(manifests)('%s it has the shape that Slack’s SDK declares', (_, manifest) => {
  // Slack validates it with the method that the type is of: https://docs.slack.dev/reference/methods/apps.manifest.validate
  expect(conform(argumentsOf('apps.manifest.validate') ?? { kind: 'never' }, { manifest }, '')).toEqual([]);
});

test('a key in the wrong place, a missing name and a wrong type are found', () => {
  const manifest = read(text);
  const { display_information: shown, settings } = manifest;
  const wrong = { ...manifest, display_information: { ...shown, name: 1 }, settings: { ...settings, shortcuts: [] } };
  const problems = conform(argumentsOf('apps.manifest.validate') ?? { kind: 'never' }, { manifest: wrong }, '');
  expect(problems.map(({ pointer }) => pointer).toSorted()).toEqual([
    '/manifest/display_information/name',
    '/manifest/settings/shortcuts',
  ]);
});

test.each(manifests)('%s an Enterprise organization can install it as a whole', (_, { settings }) => {
  expect(settings?.org_deploy_enabled).toBe(true);
});

test('in Socket Mode it has no address, and requests only the scopes that are used', () => {
  const { oauth_config, settings } = read(text);
  expect(settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
  expect(JSON.stringify(read(text))).not.toMatch(/"[a-z_]*url[a-z_]*":/);
  const { bot = [], bot_optional = [] } = oauth_config?.scopes ?? {};
  expect(bot.filter((scope) => !bot_optional.includes(scope))).toEqual([...requiredScopes]);
  expect(bot_optional).toEqual([...optionalScopes]);
  expect(settings?.event_subscriptions?.bot_events).toEqual([
    'app_home_opened',
    'app_mention',
    'channel_deleted',
    'channel_left',
    'channel_shared',
    'channel_unshared',
    'group_deleted',
    'group_left',
    'message.im',
  ]);
});

test('for HTTP mode every address is there and is https', () => {
  const { features, oauth_config, settings } = read(unmarked('http'));
  const addresses = [
    features?.slash_commands?.[0]?.url,
    oauth_config?.redirect_urls?.[0],
    settings?.interactivity?.request_url,
    settings?.interactivity?.message_menu_options_url,
    settings?.event_subscriptions?.request_url,
  ];
  for (const address of addresses) expect(address).toMatch(/^https:\/\/bot\.example\.com\/slack\/\w+$/);
});

test('for HTTP mode it requests the scopes of the installation page, and redirects to the bot’s address', () => {
  const { oauth_config } = read(unmarked('http'));
  expect(oauth_config?.scopes?.bot).toEqual([...botScopes]);
  expect(read(unmarked('http', 'links')).oauth_config?.scopes?.bot).toEqual(requestedScopes(true));
  expect(oauth_config?.redirect_urls?.map((url) => new URL(url).pathname)).toEqual([redirectPath]);
});

test('for HTTP mode it subscribes to the events that the bot handles, and no others', () => {
  const events = read(unmarked('http', 'links')).settings?.event_subscriptions?.bot_events ?? [];
  const sources = readdirSync('src/bot/slack', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const heard = sources.flatMap((name) => [
    ...readFileSync(`src/bot/slack/${name}`, 'utf8').matchAll(/\bapp\.event\('(\w+)'/g),
  ]);
  expect(heard.map(([, event]) => event).toSorted()).toEqual(events.map((event) => event.split('.')[0]).toSorted());
});

test('every scope has a stated purpose', () => {
  const lines = text
    .split('\n')
    .filter((line) => /^ *(?:#\w+ )?- [a-z_]+:?[a-z.]*(?: |$)/.test(line) && !/command:|type:/.test(line));
  expect(lines.length).toBeGreaterThan(12);
  expect(lines.filter((line) => !/ # \w.{10,}/.test(line))).toEqual([]);
});

test('its command is the bot’s default command', () => {
  const result = readConfig({});
  expect(result.isValid && result.config.slackCommand).toBe(read(text).features?.slash_commands?.[0]?.command);
});
