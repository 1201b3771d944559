/** The manifest that people paste into Slack: complete, within Slack's limits, and without unused scopes. */
import { readdirSync, readFileSync } from 'node:fs';
import type { AppsManifestCreateArguments } from '@slack/web-api';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../src/bot/config.ts';
import { redirectPath } from '../../../src/bot/slack/installation/routes.ts';
import {
  botScopes,
  optionalScopes,
  requestedScopes,
  requiredScopes,
} from '../../../src/bot/slack/installation/scopes.ts';
import { conform } from '../../support/documented-slack/conform.ts';
import { argumentsOf } from '../../support/documented-slack/sdk-types.ts';

type Manifest = AppsManifestCreateArguments['manifest'];

const text = readFileSync('manifest.yml', 'utf8');
const types = readFileSync('node_modules/@slack/web-api/dist/types/request/manifest.d.ts', 'utf8');

const read = (source: string): Manifest => parse(source);
const unmarked = (...marks: readonly string[]) =>
  marks.reduce((source, mark) => source.replaceAll(new RegExp(`^( *)#${mark} `, 'gm'), '$1'), text);

const manifests = [
  ['as it stands', read(text)],
  ['for HTTP mode', read(unmarked('http'))],
  ['for HTTP mode with links', read(unmarked('http', 'links'))],
] as const;

/** The words of one union in the SDK's types. */
function union(name: string): readonly string[] {
  const declared = new RegExp(`^type ${name} = (.*);$`, 'm').exec(types)?.[1] ?? '';
  return [...declared.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
}

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

test.each(manifests)('%s its texts are within Slack’s limits', (_, { display_information: shown, features }) => {
  expect(shown.name.length).toBeLessThanOrEqual(35);
  expect(shown.description?.length).toBeLessThanOrEqual(140);
  // Slack refuses a long description that is not long.
  expect(shown.long_description?.length).toBeGreaterThan(174);
  expect(shown.long_description?.length).toBeLessThanOrEqual(4000);
  expect(shown.background_color).toMatch(/^#[0-9a-f]{6}$/);
  expect(features?.bot_user?.display_name).toMatch(/^[a-z0-9-_.]{1,80}$/);
  for (const { command, description, usage_hint } of features?.slash_commands ?? []) {
    expect(command).toMatch(/^\/[a-z0-9_-]{1,31}$/);
    expect(description.length).toBeLessThanOrEqual(2000);
    expect(usage_hint?.length).toBeLessThanOrEqual(1000);
  }
  for (const { name, description, callback_id: id } of features?.shortcuts ?? []) {
    expect(name.length).toBeLessThanOrEqual(24);
    expect(description.length).toBeLessThanOrEqual(150);
    expect(id.length).toBeLessThanOrEqual(255);
  }
});

test.each(manifests)('%s its scopes and events exist, and none is listed twice', (_, { oauth_config, settings }) => {
  const { bot = [], bot_optional = [] } = oauth_config?.scopes ?? {};
  expect(bot.filter((scope) => !union('BotScope').includes(scope))).toEqual([]);
  expect(bot_optional.filter((scope) => !bot.includes(scope))).toEqual([]);
  for (const scopes of [bot, bot_optional]) expect(new Set(scopes).size).toBe(scopes.length);
  const events = settings?.event_subscriptions?.bot_events ?? [];
  expect(events.filter((event) => !union('ManifestEvent').includes(event))).toEqual([]);
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
    'channel_shared',
    'channel_unshared',
    'group_deleted',
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
