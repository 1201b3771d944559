/** The settings: one schema over the environment, read once, every problem reported at once. */
import { z } from 'zod';
import type { KeyringSource } from './store/secrets/load-keys.ts';

const portRule = 'must be a port number from 0 to 65535';
const port = (fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, portRule)
    .transform(Number)
    .refine((value) => value <= 65_535, portRule)
    .default(fallback);

const httpUrl = z
  .string()
  .refine((text) => /^https?:/.test(text) && URL.canParse(text), 'must be a URL that begins with http:// or https://')
  .refine((text) => !/^https?:\/\/[^/]*@/.test(text), 'must carry no user name or password');

const token = (prefix: string) =>
  z
    .string()
    .startsWith(prefix, `must begin with ${prefix}`)
    .regex(/^[\w-]+$/, 'must be one word');

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Every setting of the bot: its name, form, default and meaning. README and .env.example are made from this. */
export const settings = {
  SLACK_BOT_TOKEN: token('xoxb-')
    .optional()
    .describe('Bot token of the workspace (Socket Mode); without Slack tokens the playground starts'),
  SLACK_APP_TOKEN: token('xapp-').optional().describe('App-level token with `connections:write` (Socket Mode)'),
  SLACK_API_URL: httpUrl
    .refine((text) => text.endsWith('/'), 'must end with a slash')
    .default('https://slack.com/api/')
    .describe('Slack’s Web API, with a trailing slash'),
  SLACK_COMMAND: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, 'must be a slash and at most 31 lower-case letters, digits, - or _')
    .default('/workflow')
    .describe('The slash command, as in the app’s manifest'),
  QUERY_SERVICE_URL: httpUrl
    .optional()
    .describe('The query service’s endpoint, such as `https://example.com/graphql`; required with Slack tokens'),
  QUERY_SERVICE_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of printable characters')
    .optional()
    .describe('The organization’s API key for that endpoint; kept in memory only; required with Slack tokens'),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be a host name or an address')
    .default('127.0.0.1')
    .describe('Where the bot’s own HTTP listens: health and metrics'),
  PORT: port(8080).describe('Its port; 0 takes any free one'),
  PLAYGROUND_PORT: port(3000).describe('Where the playground’s page listens'),
  SERVICE_PORT: port(4000).describe('Where the query service listens'),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/)./, 'must be sqlite:<file> or postgres://…')
    .default('sqlite:data/bot.db')
    .describe('The bot’s own database, `sqlite:<file>` or `postgres://<user>:<password>@<host>/<database>`'),
  SERVICE_DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:<file>; PostgreSQL is not supported yet')
    .default('sqlite:data/service.db')
    .describe('The query service’s records, `sqlite:<file>`'),
  ENCRYPTION_KEYS_FILE: z
    .string()
    .optional()
    .describe('File of the keys under which secrets are stored, made by `npm run store:make-key`; needed to store any'),
  ENCRYPTION_KEYS: z
    .string()
    .optional()
    .describe('Those keys themselves where there is no file: `id:base64` a line, the first encrypts'),
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('The least level that is logged'),
} as const;

/** Settings of Slack's HTTP mode: refused by name until that mode exists, rather than ignored. */
const unsupported = ['SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'PUBLIC_URL'] as const;

export type ProxySettings = { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };

/** What the store and its scripts need. */
export type StoreConfig = {
  readonly databaseUrl: string;
  /** Undefined: nothing secret can be stored. */
  readonly keyring: KeyringSource | undefined;
};

type Common = StoreConfig & {
  readonly slashCommand: string;
  readonly logLevel: z.output<typeof settings.LOG_LEVEL>;
  readonly proxy: ProxySettings;
};

/** Where the bot's own HTTP listens. */
export type HttpAddress = { readonly host: string; readonly port: number };

export type SocketConfig = Common & {
  readonly mode: 'socket';
  /** Of health and metrics; undefined where nobody asks, as in the playground. */
  readonly http: HttpAddress | undefined;
  readonly slackBotToken: string;
  readonly slackAppToken: string;
  readonly slackApiUrl: string;
  readonly queryServiceUrl: string;
  readonly queryServiceApiKey: string;
};

export type PlaygroundConfig = Common & {
  readonly mode: 'playground';
  readonly playgroundPort: number;
  readonly servicePort: number;
  readonly serviceDatabaseUrl: string;
};

export type Config = SocketConfig | PlaygroundConfig;

export type ConfigResult<Read = Config> =
  | { readonly isValid: true; readonly config: Read }
  /** One sentence a problem, each beginning with the variable's name. */
  | { readonly isValid: false; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** @param environment such as `process.env`; an empty value counts as none */
export function readConfig(environment: Environment): ConfigResult {
  const given = presentIn(environment);
  const parsed = z.object(settings).safeParse(given);
  const problems = [...problemsOf(parsed), ...modeProblems(given)];
  if (!parsed.success || problems.length > 0) return { isValid: false, problems };
  return { isValid: true, config: Object.freeze(configOf(parsed.data, proxyOf(given))) };
}

/** For the scripts that work on the store: settings that they do not need are not looked at. */
export function readStoreConfig(environment: Environment): ConfigResult<StoreConfig> {
  const { DATABASE_URL, ENCRYPTION_KEYS_FILE, ENCRYPTION_KEYS } = settings;
  const schema = z.object({ DATABASE_URL, ENCRYPTION_KEYS_FILE, ENCRYPTION_KEYS });
  const parsed = schema.safeParse(presentIn(environment));
  if (!parsed.success) return { isValid: false, problems: problemsOf(parsed) };
  return { isValid: true, config: storeConfigOf(parsed.data) };
}

function presentIn(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
}

function problemsOf({ error }: z.ZodSafeParseResult<unknown>): readonly string[] {
  return (error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}.`);
}

function modeProblems(given: Environment): readonly string[] {
  const isBot = given['SLACK_BOT_TOKEN'] !== undefined || given['SLACK_APP_TOKEN'] !== undefined;
  const required = isBot ? ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'QUERY_SERVICE_URL', 'QUERY_SERVICE_API_KEY'] : [];
  return [
    ...required.filter((name) => given[name] === undefined).map((name) => `${name} is missing; Socket Mode needs it.`),
    ...unsupported
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name} belongs to Slack’s HTTP mode, which is not supported yet; use Socket Mode.`),
  ];
}

function proxyOf(given: Environment): ProxySettings {
  const read = (name: string) => given[name.toLowerCase()] ?? given[name];
  const [httpProxy, httpsProxy, noProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

type Values = z.output<z.ZodObject<typeof settings>>;

function storeConfigOf(values: Pick<Values, 'DATABASE_URL' | 'ENCRYPTION_KEYS_FILE' | 'ENCRYPTION_KEYS'>): StoreConfig {
  const { DATABASE_URL: databaseUrl, ENCRYPTION_KEYS_FILE: path, ENCRYPTION_KEYS: text } = values;
  if (path !== undefined) return { databaseUrl, keyring: { kind: 'file', path } };
  return { databaseUrl, keyring: text === undefined ? undefined : { kind: 'text', text } };
}

function configOf(values: Values, proxy: ProxySettings): Config {
  const common = {
    slashCommand: values.SLACK_COMMAND,
    ...storeConfigOf(values),
    logLevel: values.LOG_LEVEL,
    proxy,
  };
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, QUERY_SERVICE_URL, QUERY_SERVICE_API_KEY } = values;
  if (SLACK_BOT_TOKEN && SLACK_APP_TOKEN && QUERY_SERVICE_URL && QUERY_SERVICE_API_KEY) {
    return {
      ...common,
      mode: 'socket',
      http: { host: values.HOST, port: values.PORT },
      slackBotToken: SLACK_BOT_TOKEN,
      slackAppToken: SLACK_APP_TOKEN,
      slackApiUrl: values.SLACK_API_URL,
      queryServiceUrl: QUERY_SERVICE_URL,
      queryServiceApiKey: QUERY_SERVICE_API_KEY,
    };
  }
  return {
    ...common,
    mode: 'playground',
    playgroundPort: values.PLAYGROUND_PORT,
    servicePort: values.SERVICE_PORT,
    serviceDatabaseUrl: values.SERVICE_DATABASE_URL,
  };
}
