/** Reads the settings from the environment and reports every problem at once. */
import { z } from 'zod';
import { settings } from '../shared/settings.ts';
import type { WebLinkTemplates } from './domain/web-links.ts';
import type { ProxySettings } from './query/client/pool.ts';
import type { KeyringSource } from './store/secrets/load-keys.ts';

/** Settings of the store and its scripts. */
export type StoreConfig = {
  readonly databaseUrl: string;
  /** Undefined if no secret can be stored. */
  readonly keyring: KeyringSource | undefined;
};

type Common = StoreConfig & {
  readonly slashCommand: string;
  readonly logLevel: z.output<typeof settings.LOG_LEVEL>;
  readonly proxy: ProxySettings;
  readonly webLinks?: WebLinkTemplates;
  /** Query services beside the default one, as the operator wrote them. */
  readonly queryServiceOrigins: readonly string[];
};

/** Address of the bot's own HTTP server, and further host names under which readiness and metrics answer. */
export type HttpAddress = { readonly host: string; readonly port: number; readonly hostNames?: readonly string[] };

/** Settings of both Slack modes. */
type BotCommon = Common & {
  /** Serves health and metrics, and in HTTP mode Slack's requests. */
  readonly http: HttpAddress;
  readonly slackApiUrl: string;
  readonly queryServiceUrl: string;
};

export type SocketConfig = BotCommon & {
  readonly mode: 'socket';
  readonly slackBotToken: string;
  readonly slackAppToken: string;
  /** Of the only workspace; a key that the workspace stores takes precedence. */
  readonly queryServiceApiKey: string | undefined;
};

export type HttpConfig = BotCommon & {
  readonly mode: 'http';
  readonly slackSigningSecret: string;
  readonly slackClientId: string;
  readonly slackClientSecret: string;
  /** An origin: no path, no slash at the end. */
  readonly publicUrl: string;
};

/** A bot in a real Slack. */
export type BotConfig = SocketConfig | HttpConfig;

export type PlaygroundConfig = Common & {
  readonly mode: 'playground';
  readonly playgroundPort: number;
  readonly servicePort: number;
  readonly serviceDatabaseUrl: string;
};

export type Config = BotConfig | PlaygroundConfig;

export type ConfigResult<Read = Config> =
  | { readonly isValid: true; readonly config: Read }
  /** One sentence for each problem, beginning with the variable's name. */
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

/** For the scripts that work on the store; ignores all other settings. */
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

/** The settings that only one mode has, and the others that it needs. */
const modes = [
  {
    name: 'Socket Mode',
    own: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'],
    also: ['QUERY_SERVICE_URL'],
  },
  {
    name: 'HTTP mode',
    own: ['SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'PUBLIC_URL'],
    also: ['QUERY_SERVICE_URL'],
  },
] as const;

function modeProblems(given: Environment): readonly string[] {
  const isGiven = (name: string) => given[name] !== undefined;
  const [chosen, other] = modes.filter(({ own }) => own.some(isGiven));
  if (!chosen) return [];
  if (other) {
    return [...chosen.own, ...other.own]
      .filter(isGiven)
      .map((name) => `${name} cannot stand here: a bot is in ${chosen.name} or in ${other.name}, not in both.`);
  }
  const missing = [...chosen.own, ...chosen.also].filter((name) => !isGiven(name));
  return [
    ...missing.map((name) => `${name} is missing; ${chosen.name} needs it.`),
    ...(chosen.name === 'HTTP mode' ? httpProblems(isGiven) : []),
  ];
}

function httpProblems(isGiven: (name: string) => boolean): readonly string[] {
  return [
    ...(isGiven('ENCRYPTION_KEYS_FILE') || isGiven('ENCRYPTION_KEYS')
      ? []
      : ['ENCRYPTION_KEYS_FILE is missing; HTTP mode stores tokens. Make one: npm run store:make-key -- <file>.']),
    ...(isGiven('QUERY_SERVICE_API_KEY')
      ? ['QUERY_SERVICE_API_KEY cannot stand here: in HTTP mode each workspace connects with a key of its own.']
      : []),
  ];
}

function proxyOf(given: Environment): ProxySettings {
  const read = (name: string) => given[name.toLowerCase()] ?? given[name];
  const [httpProxy, httpsProxy, noProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

type Values = z.output<z.ZodObject<typeof settings>>;

/** The host may be a name, so it counts among the host names. */
function httpAddressOf({ HOST: host, PORT: port, METRICS_HOSTS: further = [] }: Values): HttpAddress {
  return { host, port, hostNames: [host, ...further] };
}

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
    webLinks: { workflow: values.WEB_WORKFLOW_LINK, execution: values.WEB_EXECUTION_LINK },
    queryServiceOrigins: values.QUERY_SERVICE_ORIGINS ?? [],
  };
  return (
    botConfigOf(values, common) ?? {
      ...common,
      mode: 'playground',
      playgroundPort: values.PLAYGROUND_PORT,
      servicePort: values.SERVICE_PORT,
      serviceDatabaseUrl: values.SERVICE_DATABASE_URL,
    }
  );
}

function botConfigOf(values: Values, common: Common): BotConfig | undefined {
  const { QUERY_SERVICE_URL: queryServiceUrl, SLACK_API_URL: slackApiUrl } = values;
  if (!queryServiceUrl) return undefined;
  const bot = { ...common, http: httpAddressOf(values), slackApiUrl, queryServiceUrl };
  const { SLACK_BOT_TOKEN: slackBotToken, SLACK_APP_TOKEN: slackAppToken } = values;
  const { QUERY_SERVICE_API_KEY: queryServiceApiKey } = values;
  if (slackBotToken && slackAppToken) {
    return { ...bot, mode: 'socket', slackBotToken, slackAppToken, queryServiceApiKey };
  }
  const { SLACK_SIGNING_SECRET: slackSigningSecret, PUBLIC_URL: publicUrl } = values;
  const { SLACK_CLIENT_ID: slackClientId, SLACK_CLIENT_SECRET: slackClientSecret } = values;
  if (!slackSigningSecret || !slackClientId || !slackClientSecret || !publicUrl) return undefined;
  return { ...bot, mode: 'http', slackSigningSecret, slackClientId, slackClientSecret, publicUrl };
}
