/** The settings: one schema over the environment, read once, every problem reported at once. */
import { z } from 'zod';

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
  PLAYGROUND_PORT: port(3000).describe('Where the playground’s page listens'),
  SERVICE_PORT: port(4000).describe('Where the query service listens'),
  DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:<file>; PostgreSQL is not supported yet')
    .default('sqlite:data/bot.db')
    .describe('The bot’s own database, `sqlite:<file>`'),
  SERVICE_DATABASE_URL: z
    .string()
    .regex(/^sqlite:.+/, 'must be sqlite:<file>; PostgreSQL is not supported yet')
    .default('sqlite:data/service.db')
    .describe('The query service’s records, `sqlite:<file>`'),
  LOG_LEVEL: z
    .enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
    .default('info')
    .describe('The least level that is logged'),
} as const;

/** Settings of Slack's HTTP mode: refused by name until that mode exists, rather than ignored. */
const unsupported = ['SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'PUBLIC_URL'] as const;

export type ProxySettings = { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };

type Common = {
  readonly slashCommand: string;
  readonly databaseUrl: string;
  readonly logLevel: z.output<typeof settings.LOG_LEVEL>;
  readonly proxy: ProxySettings;
};

export type SocketConfig = Common & {
  readonly mode: 'socket';
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

export type ConfigResult =
  | { readonly isValid: true; readonly config: Config }
  /** One sentence a problem, each beginning with the variable's name. */
  | { readonly isValid: false; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/** @param environment such as `process.env`; an empty value counts as none */
export function readConfig(environment: Environment): ConfigResult {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = z.object(settings).safeParse(given);
  const problems = [
    ...(parsed.error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}.`),
    ...modeProblems(given),
  ];
  if (!parsed.success || problems.length > 0) return { isValid: false, problems };
  return { isValid: true, config: Object.freeze(configOf(parsed.data, proxyOf(given))) };
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

function configOf(values: Values, proxy: ProxySettings): Config {
  const common = {
    slashCommand: values.SLACK_COMMAND,
    databaseUrl: values.DATABASE_URL,
    logLevel: values.LOG_LEVEL,
    proxy,
  };
  const { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, QUERY_SERVICE_URL, QUERY_SERVICE_API_KEY } = values;
  if (SLACK_BOT_TOKEN && SLACK_APP_TOKEN && QUERY_SERVICE_URL && QUERY_SERVICE_API_KEY) {
    return {
      ...common,
      mode: 'socket',
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
