/**
 * Every setting: its name, form, default and meaning. The programs' configurations, README, .env.example and
 * compose.yml are derived from it.
 */
import { z } from 'zod';
import { parseStrictUrl, readOrigin } from './allowed-endpoint.ts';

const portRule = 'must be a port number from 0 to 65535';
const portNumber = z
  .string()
  .regex(/^\d+$/, portRule)
  .transform(Number)
  .refine((value) => value <= 65_535, portRule);
const port = (fallback: number) => portNumber.default(fallback);

const host = z
  .string()
  .regex(/^[\w.:-]+$/, 'must be a host name or an address')
  .default('127.0.0.1');

/** Host names without a port. */
const hostList = z
  .string()
  .transform((text) =>
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((name) => name !== ''),
  )
  .refine(
    (names) => names.every((name) => /^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(name)),
    'must be host names without a port',
  );

const httpUrl = z
  .string()
  .refine((text) => /^https?:\/\/[^/\\]/.test(text) && URL.canParse(text), {
    error: 'must be a URL that begins with http:// or https://',
    abort: true,
  })
  .refine((text) => !hasUserInfo(new URL(text)), 'must carry no user name or password');

const token = (prefix: string) =>
  z
    .string()
    .startsWith(prefix, `must begin with ${prefix}`)
    .regex(/^[\w-]+$/, 'must be one word');

function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

/** @param lengthMin shorter secrets are mistakes */
const secret = (lengthMin = 1) =>
  z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of printable characters')
    .min(lengthMin, `must be at least ${lengthMin} characters long`);

/** An origin. Over http an eavesdropper could complete another person's installation. */
const publicUrl = z
  .string()
  .refine((text) => URL.parse(text)?.origin === text.toLowerCase().replace(/\/$/, ''), {
    error: 'must be a URL without a path, such as https://bot.example.com',
    abort: true,
  })
  .refine(
    (text) => /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/i.test(text),
    'must begin with https://; http:// is for this machine alone',
  )
  .transform((text) => new URL(text).origin);

/** @param ids placeholders that may occur in the link; the first one must */
const webLink = (...ids: readonly [string, ...string[]]) =>
  httpUrl
    .refine((text) => text.includes(`{${ids[0]}}`), `must have {${ids[0]}} in place of the id`)
    .refine(
      (text) =>
        [...text.matchAll(/[{}][^{}]*/g)].every(([part]) => part.startsWith('}') || ids.includes(part.slice(1))),
      `may have ${ids.map((id) => `{${id}}`).join(' and ')} in braces, and nothing else`,
    )
    .refine((text) => !/^https?:\/\/[^/]*[{}]/.test(text), 'must name its host in full');

/** One less than a menu in Slack can hold. */
const endpointsMax = 99;
/** The list as it is configured. */
const endpointList = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''))
  .refine((entries) => entries.every((entry) => readOrigin(entry) !== undefined), {
    error: 'must be addresses that begin with http:// or https://, without user name, ? or #',
  })
  .refine((entries) => entries.length <= endpointsMax, `must be at most ${endpointsMax}`);

const wholeNumber = (shape: RegExp, rule: string) =>
  z.string().regex(shape, `must be a whole number ${rule}`).transform(Number);

const databaseUrl = z.string().regex(/^(sqlite:|postgres(ql)?:\/\/)./, 'must be sqlite:<file> or postgres://…');

/** Standbys, which are read in turn. */
const standbysMax = 8;
const standbyList = z
  .string()
  .transform((text) => text.split(/\s+/).filter((entry) => entry !== ''))
  .refine((urls) => urls.every((url) => /^postgres(ql)?:\/\/./.test(url) && URL.canParse(url)), {
    error: 'must be postgres://… addresses',
  })
  .refine((urls) => urls.length <= standbysMax, `must be at most ${standbysMax}`);
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export const settings = {
  SLACK_BOT_TOKEN: token('xoxb-')
    .optional()
    .describe('Bot token of the workspace (Socket Mode); without Slack tokens the playground starts'),
  SLACK_APP_TOKEN: token('xapp-').optional().describe('App-level token with `connections:write` (Socket Mode)'),
  SLACK_SIGNING_SECRET: secret(16)
    .optional()
    .describe('Signing secret of the app (HTTP mode), which verifies Slack’s requests'),
  SLACK_CLIENT_ID: z
    .string()
    .regex(/^[\w.-]+$/, 'must be one word')
    .optional()
    .describe('Client id of the app (HTTP mode)'),
  SLACK_CLIENT_SECRET: secret(16).optional().describe('Client secret of the app (HTTP mode)'),
  PUBLIC_URL: publicUrl.optional().describe('Public address of the bot, such as `https://bot.example.com` (HTTP mode)'),
  PRIVACY_URL: httpUrl.optional().describe('Your privacy policy, linked on the installation page (HTTP mode)'),
  SUPPORT_URL: httpUrl
    .optional()
    .describe('Your support page, linked in `help` and on the installation page (HTTP mode)'),
  SLACK_API_URL: httpUrl
    .refine((text) => text.endsWith('/'), 'must end with a slash')
    .refine((text) => parseStrictUrl(text, ['https:', 'http:']) !== undefined, 'must be a plain address without ? or %')
    .default('https://slack.com/api/')
    .describe('Address of Slack’s Web API, with a trailing slash'),
  SLACK_COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash and at most 31 lower-case letters, digits, - or _')
    .default('/workflow')
    .describe('The slash command, as in the app’s manifest'),
  QUERY_SERVICE_URL: httpUrl
    .optional()
    .describe('The query service’s endpoint, such as `https://example.com/graphql`; required outside the playground'),
  QUERY_SERVICE_API_KEY: secret()
    .optional()
    .describe(
      'The organization’s API key for that endpoint, kept in memory only (Socket Mode); a key stored by `connect` wins',
    ),
  QUERY_SERVICE_ORIGINS: endpointList
    .optional()
    .describe(
      'Further endpoints that a workspace may choose, separated by spaces; `private:` before an https endpoint in a private network',
    ),
  WEB_WORKFLOW_LINK: webLink('workflowUuid')
    .optional()
    .describe(
      'Address of a workflow on the platform’s web page, with `{workflowUuid}`; no button links there, and pasted links stay as they are, if unset',
    ),
  WEB_EXECUTION_LINK: webLink('executionUuid', 'workflowUuid')
    .optional()
    .describe('Address of an execution there, with `{executionUuid}` and, if needed, `{workflowUuid}`'),
  SLACK_WORK_OBJECTS: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .optional()
    .describe(
      '`on` if the app’s page “Work Object Previews” has the type Item enabled: links then expand to Work Objects',
    ),
  HOST: host.describe('Address of the bot’s HTTP server: health, metrics, and Slack in HTTP mode'),
  PORT: port(8080).describe('Port of the bot’s HTTP server; 0 for any free port'),
  METRICS_HOSTS: hostList
    .optional()
    .describe(
      'Host names under which `/readyz` and `/metrics` answer, in addition to IP addresses and private names, separated by spaces',
    ),
  PLAYGROUND_PORT: port(3000).describe('Port of the playground’s page'),
  SERVICE_PORT: port(4000).describe('Port of the query service'),
  SERVICE_RATE_LIMIT: wholeNumber(/^\d{1,6}$/, 'below a million')
    .default(50)
    .describe('Requests a second that each process of the query service accepts from one key; 0 for no limit'),
  SERVICE_DATABASE_BUDGET: wholeNumber(/^\d{1,6}$/, 'of milliseconds below a million')
    .default(250)
    .describe(
      'Milliseconds of database time a second for one key, in each process of the query service; 0 for no limit',
    ),
  SERVICE_READ_URLS: standbyList
    .optional()
    .describe(
      'Standbys of the query service’s PostgreSQL server, to read from, `postgres://…` separated by spaces; each names one server',
    ),
  SERVICE_READ_LAG_MS: wholeNumber(/^[1-9]\d{0,5}$/, 'of milliseconds below a million, at least 1')
    .default(2_000)
    .describe('Milliseconds of replay lag from which a standby is not read from'),
  SERVICE_RETENTION_DAYS: wholeNumber(/^[1-9]\d{0,4}$/, 'of days, at least 1')
    .optional()
    .describe('Days after which the query service deletes an execution; never if unset'),
  SERVICE_METRICS_HOST: host.describe('Address of the query service’s metrics, separate from its endpoint'),
  SERVICE_METRICS_PORT: portNumber.optional().describe('Port of the query service’s metrics; no metrics if unset'),
  DATABASE_URL: databaseUrl
    .default('sqlite:data/bot.db')
    .describe('The bot’s own database, `sqlite:<file>` or `postgres://<user>:<password>@<host>/<database>`'),
  SERVICE_DATABASE_URL: databaseUrl
    .default('sqlite:data/service.db')
    .describe('The query service’s records, `sqlite:<file>` or `postgres://<user>:<password>@<host>/<database>`'),
  ENCRYPTION_KEYS_FILE: z
    .string()
    .optional()
    .describe(
      'File of the keys that encrypt stored secrets, made by `npm run store:make-key`; required to store secrets',
    ),
  ENCRYPTION_KEYS: z.string().optional().describe('These keys without a file: `id:base64` a line, the first encrypts'),
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('Lowest level of the log'),
} as const;

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type Values = z.output<z.ZodObject<typeof settings>>;
type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Values of settings by their names in code: `SLACK_API_URL` is `slackApiUrl`. */
export type Settings<Name extends SettingName = SettingName> = {
  readonly [Key in keyof Pick<Values, Name> as CamelCase<Key>]: Values[Key];
};

/** Settings with a value. */
export type GivenSettings<Name extends SettingName> = {
  readonly [Key in Name as CamelCase<Key>]: NonNullable<Values[Key]>;
};

/** @returns true if none of these settings is undefined */
export function hasSettings<Name extends SettingName>(
  values: Settings,
  names: readonly Name[],
): values is Settings & GivenSettings<Name> {
  const given = new Map(Object.entries(values));
  return names.every((name) => given.get(camelCase(name)) !== undefined);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param environment such as `process.env`; an empty value counts as missing
 * @param labelOf returns the name of a setting in a problem
 * @returns the values, which are complete only if there are no problems, and one sentence per problem, which begins
 *   with the label
 */
export function readSettings<Name extends SettingName>(
  environment: Environment,
  names: readonly Name[],
  labelOf: (name: Name) => string = (name) => name,
): { readonly values: Settings<Name>; readonly problems: readonly string[] } {
  const parsed = names.map((name) => ({ name, ...settings[name].safeParse(environment[name] || undefined) }));
  const problems = parsed.flatMap(({ name, error }) =>
    (error?.issues ?? []).map((issue) => `${labelOf(name)} ${issue.message}.`),
  );
  const values = Object.fromEntries(parsed.map(({ name, data }) => [camelCase(name), data])) as Settings<Name>;
  return { values, problems };
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

type SharedSettingName = 'LOG_LEVEL' | 'METRICS_HOSTS';
export type ServiceSettingName = Extract<SettingName, `SERVICE_${string}`> | SharedSettingName;

/** @returns true for the query service's own settings and those that it shares with the bot */
export function isServiceSetting(name: SettingName): name is ServiceSettingName {
  return name.startsWith('SERVICE_') || name === 'LOG_LEVEL' || name === 'METRICS_HOSTS';
}
