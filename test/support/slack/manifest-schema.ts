/**
 * Slack's rules for an app's manifest: the schema that Slack publishes, and what it refuses beyond the schema, with the source beside each rule.
 * test/fixtures/slack-manifest has the schema as it is in slackapi/manifest-schema (MIT) at commit c50cfa8, which
 * `_metadata.major_version: 2` selects. Scopes and events: the unions of @slack/web-api.
 */
import { readFileSync } from 'node:fs';
import type { AppsManifestCreateArguments } from '@slack/web-api';
import { Ajv, type ErrorObject } from 'ajv';
import { parse } from 'yaml';

const types = readFileSync('node_modules/@slack/web-api/dist/types/request/manifest.d.ts', 'utf8');

/** Slack's own keyword `regex` is JSON Schema's `pattern`. */
const ajv = new Ajv({ allErrors: true, strict: false, formats: { uri: URL.canParse } }).addKeyword({
  keyword: 'regex',
  type: 'string',
  schemaType: 'string',
  validate: (pattern: string, text: string) => new RegExp(pattern).test(text),
});
const isOfSchema = ajv.compile(
  JSON.parse(readFileSync('test/fixtures/slack-manifest/manifest.schema.2.0.0.json', 'utf8')),
);

function schemaProblem({ instancePath, keyword, message, params }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return `${instancePath}/${params['additionalProperty']} is no key of a manifest`;
  if (keyword === 'required') return `${instancePath}/${params['missingProperty']} is missing`;
  return `${instancePath} ${message}`;
}

type Manifest = AppsManifestCreateArguments['manifest'];
type Rule = (manifest: Manifest) => readonly (readonly [pointer: string, problem: string])[];

/** One of these scopes is needed for an event: https://docs.slack.dev/reference/events, refused without it: derive-to/derive#558 (`message.im`). */
const scopesOfEvents: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_deleted: ['channels:read'],
  channel_left: ['channels:read'],
  channel_shared: ['channels:read', 'groups:read'],
  channel_unshared: ['channels:read', 'groups:read'],
  entity_details_requested: [],
  group_deleted: ['groups:read'],
  group_left: ['groups:read'],
  link_shared: ['links:read'],
  'message.im': ['im:history'],
  team_access_granted: [],
  team_access_revoked: [],
  tokens_revoked: [],
};

const scopesAreAsked: Rule = ({ oauth_config: oauth, features = {}, settings = {} }) => {
  const { bot = [], bot_optional: optional = [] } = oauth?.scopes ?? {};
  const isAsked = (scope: string) => bot.some((asked) => asked === scope);
  return [
    // https://docs.slack.dev/reference/app-manifest#oauth
    ...optional.flatMap((scope, index) =>
      isAsked(scope)
        ? []
        : ([[`/oauth_config/scopes/bot_optional/${index}`, `${scope} is not in scopes.bot`]] as const),
    ),
    // `requires_commands_bot_scope`: derive-to/derive#558
    ...(['slash_commands', 'shortcuts'] as const).flatMap((key) =>
      features[key] && !isAsked('commands') ? ([[`/features/${key}`, 'needs the scope commands']] as const) : [],
    ),
    // https://github.com/open-cli-collective/slack-chat-api/pull/103
    ...(bot.length > 0 && !features.bot_user
      ? ([['/features/bot_user', 'is missing: there are bot scopes']] as const)
      : []),
    ...(settings.event_subscriptions?.bot_events ?? []).flatMap((event, index) => {
      const needed = scopesOfEvents[event];
      if (needed?.length === 0 || needed?.some(isAsked)) return [];
      const problem = needed
        ? `${event} needs the scope ${needed.join(' or ')}`
        : `${event} has no row in scopesOfEvents`;
      return [[`/settings/event_subscriptions/bot_events/${index}`, problem]] as const;
    }),
  ];
};

/** Slack needs an address wherever it has no socket: https://docs.slack.dev/reference/app-manifest, speakeasy-api/gram#2711. */
const addressesAreThere: Rule = ({ features = {}, settings = {} }) => {
  if (settings.socket_mode_enabled) return [];
  const { event_subscriptions: subscribed, interactivity } = settings;
  const missing = [
    ...(features.slash_commands ?? []).flatMap((command, index) =>
      command.url ? [] : [`/features/slash_commands/${index}/url`],
    ),
    ...(subscribed && !subscribed.request_url ? ['/settings/event_subscriptions/request_url'] : []),
    ...(interactivity?.is_enabled && !interactivity.request_url ? ['/settings/interactivity/request_url'] : []),
  ];
  return missing.map((pointer) => [pointer, 'is missing: Socket Mode is off'] as const);
};

/** The schema leaves these open: https://docs.slack.dev/reference/app-manifest#metadata, #bot-user, #slash-commands */
const wordsAreSlacks: Rule = ({ _metadata: metadata, features = {}, oauth_config: oauth, settings = {} }) => {
  const { bot = [], bot_optional: optional = [] } = oauth?.scopes ?? {};
  const [scopes, events] = [union('BotScope'), union('ManifestEvent')];
  const unknown = (words: readonly string[], known: readonly string[], pointer: string) =>
    words.flatMap((word, index) =>
      known.includes(word) ? [] : ([[`${pointer}/${index}`, `${word} is unknown`]] as const),
    );
  const twice = (words: readonly string[], pointer: string) =>
    new Set(words).size === words.length ? [] : ([[pointer, 'lists an entry twice']] as const);
  const name = features.bot_user?.display_name ?? 'bot';
  return [
    ...(metadata?.major_version === 2 ? [] : ([['/_metadata/major_version', 'is not that of the schema']] as const)),
    ...(/^[a-z0-9-_.]+$/.test(name) ? [] : ([['/features/bot_user/display_name', 'has other characters']] as const)),
    ...unknown(bot, scopes, '/oauth_config/scopes/bot'),
    ...unknown(optional, scopes, '/oauth_config/scopes/bot_optional'),
    ...twice(bot, '/oauth_config/scopes/bot'),
    ...unknown(settings.event_subscriptions?.bot_events ?? [], events, '/settings/event_subscriptions/bot_events'),
  ];
};

/** @returns a sentence for each problem, which begins with its JSON pointer */
export function manifestProblems(manifest: unknown): readonly string[] {
  if (!isOfSchema(manifest)) return (isOfSchema.errors ?? []).map(schemaProblem);
  return [wordsAreSlacks, scopesAreAsked, addressesAreThere]
    .flatMap((rule) => rule(manifest as Manifest))
    .map((problem) => problem.join(' '));
}

/** The manifest in each mode that its head describes, by name. */
export function manifestsIn(source: string): ReadonlyMap<string, unknown> {
  const without = (mark: string, from: string) => from.replaceAll(new RegExp(`^( *)#${mark} `, 'gm'), '$1');
  const http = without('http', source)
    .replace('socket_mode_enabled: true', 'socket_mode_enabled: false')
    .replace('token_rotation_enabled: false', 'token_rotation_enabled: true');
  return new Map([
    ['in Socket Mode', parse(source)],
    ['in Socket Mode with links', parse(without('links', source))],
    ['in HTTP mode', parse(http)],
    ['in HTTP mode with links', parse(without('links', http))],
  ]);
}

/** The words of a union in the SDK's types. */
function union(name: string): readonly [string, ...string[]] {
  const declared = new RegExp(`^type ${name} = (.*);$`, 'm').exec(types)?.[1] ?? '';
  const [first = '', ...others] = [...declared.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
  return [first, ...others];
}
