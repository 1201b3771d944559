/**
 * Slack's rules for an app's manifest, as far as an app without Slack's hosted functions uses them.
 * Facts: slackapi/manifest-schema, version 0.0.0 (MIT), schemas/manifest.schema.2.0.0.json at commit 085a104, which `_metadata.major_version: 2` selects;
 * scopes and events: the unions of @slack/web-api 8.2.0. What Slack refuses beyond its schema has its source beside the rule.
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const types = readFileSync('node_modules/@slack/web-api/dist/types/request/manifest.d.ts', 'utf8');

const text = (max: number, min = 1) => z.string().min(min).max(max);
const url = (max: number) => text(max).regex(/^https?:\/\//);
const domain = text(255).regex(/^[a-z0-9][-a-z0-9.]*[a-z0-9]$/);
const list = <T extends z.ZodType>(item: T, max: number, min = 0) => z.array(item).min(min).max(max);
const set = <T extends z.ZodType>(item: T, max: number, min = 0) =>
  list(item, max, min).refine((items) => new Set(items).size === items.length, 'lists an entry twice');
const flag = z.boolean().optional();
const scope = (name: 'BotScope' | 'UserScope') => set(text(50).pipe(z.enum(union(name))), 255);
const events = set(text(50).pipe(z.enum(union('ManifestEvent'))), 100);

const schema = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(2), minor_version: z.int().optional() }),
  display_information: z.strictObject({
    name: text(35),
    description: text(140).optional(),
    background_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/)
      .optional(),
    long_description: text(4_000, 175).optional(),
  }),
  features: z.strictObject({
    app_home: z
      .strictObject({ home_tab_enabled: flag, messages_tab_enabled: flag, messages_tab_read_only_enabled: flag })
      .optional(),
    bot_user: z
      .strictObject({
        // Allowed characters: https://docs.slack.dev/reference/app-manifest
        display_name: text(80).regex(/^[a-z0-9-_.]+$/),
        always_online: flag,
      })
      .optional(),
    shortcuts: list(
      z.strictObject({
        name: text(24),
        type: z.enum(['message', 'global']),
        callback_id: text(255),
        description: text(150),
      }),
      10,
      1,
    ).optional(),
    slash_commands: list(
      z.strictObject({
        command: text(32, 2).regex(/^\/[a-z0-9_-]+$/),
        url: url(3_000).optional(),
        description: text(2_000),
        usage_hint: text(1_000).optional(),
        should_escape: flag,
      }),
      50,
      1,
    ).optional(),
    unfurl_domains: set(domain, 5, 1).optional(),
  }),
  oauth_config: z.strictObject({
    redirect_urls: set(text(2_500), 1_000).optional(),
    scopes: z.strictObject({
      bot: scope('BotScope').optional(),
      bot_optional: scope('BotScope').optional(),
      user: scope('UserScope').optional(),
      user_optional: scope('UserScope').optional(),
    }),
    token_management_enabled: flag,
    pkce_enabled: flag,
  }),
  settings: z.strictObject({
    allowed_ip_address_ranges: set(z.union([z.ipv4(), z.cidrv4()]), 50, 1).optional(),
    event_subscriptions: z
      .strictObject({
        request_url: url(3_500).optional(),
        bot_events: events.optional(),
        user_events: events.optional(),
      })
      .optional(),
    incoming_webhooks: z.strictObject({ incoming_webhooks_enabled: flag }).optional(),
    interactivity: z
      .strictObject({
        is_enabled: z.boolean(),
        request_url: url(3_500).optional(),
        message_menu_options_url: url(3_500).optional(),
      })
      .optional(),
    org_deploy_enabled: flag,
    socket_mode_enabled: flag,
    token_rotation_enabled: flag,
  }),
});

type Manifest = z.infer<typeof schema>;
type Rule = (manifest: Manifest) => readonly (readonly [pointer: string, problem: string])[];

/** One of these scopes is needed for an event: https://docs.slack.dev/reference/events, refused without it: derive-to/derive#558 (`message.im`). */
const scopesOfEvents: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  app_uninstalled: [],
  channel_deleted: ['channels:read'],
  channel_shared: ['channels:read', 'groups:read'],
  channel_unshared: ['channels:read', 'groups:read'],
  entity_details_requested: [],
  group_deleted: ['groups:read'],
  link_shared: ['links:read'],
  'message.im': ['im:history'],
  team_access_granted: [],
  team_access_revoked: [],
  tokens_revoked: [],
};

const scopesAreAsked: Rule = ({ oauth_config: { scopes }, features, settings }) => {
  const { bot = [], bot_optional: optional = [] } = scopes;
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
const addressesAreThere: Rule = ({ features, settings }) => {
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

/** @returns a sentence for each problem, which begins with its JSON pointer */
export function manifestProblems(manifest: unknown): readonly string[] {
  const { success, data, error } = schema.safeParse(manifest);
  if (success) {
    return [scopesAreAsked, addressesAreThere].flatMap((rule) => rule(data)).map((problem) => problem.join(' '));
  }
  return error.issues.flatMap((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [undefined];
    return unknown.map((key) => {
      const path = key === undefined ? issue.path : [...issue.path, key];
      return `/${path.join('/')} ${key === undefined ? issue.message : 'is no key of a manifest'}`;
    });
  });
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
