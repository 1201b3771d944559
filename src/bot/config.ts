/** Reads the settings from the environment and reports every problem at once. */
import type { Server } from 'node:net';
import {
  type Environment,
  type GivenSettings,
  hasSettings,
  readSettings,
  type SettingName,
  type Settings,
  settingNames,
} from '../shared/settings.ts';
import type { ProxySettings } from './query/client/pool.ts';
import type { KeyringSource } from './store/secrets/keyring-file.ts';

/** The settings that only one mode has, and the settings that it needs. */
const socketMode = {
  name: 'Socket Mode',
  own: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN'],
  needed: ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'QUERY_SERVICE_URL'],
} as const;
const httpMode = {
  name: 'HTTP mode',
  own: ['SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'PUBLIC_URL'],
  needed: ['SLACK_SIGNING_SECRET', 'SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'PUBLIC_URL', 'QUERY_SERVICE_URL'],
} as const;

/** Undefined if no secret can be stored. */
type Keyring = { readonly keyring: KeyringSource | undefined };

export type StoreConfig = Settings<'DATABASE_URL'> & Keyring;

type Common = Settings<Exclude<SettingName, `SERVICE_${string}` | `PLAYGROUND_${string}`>> &
  Keyring & { readonly proxy: ProxySettings };

export type SocketConfig = Common & GivenSettings<(typeof socketMode.needed)[number]> & { readonly mode: 'socket' };
export type HttpConfig = Common &
  GivenSettings<(typeof httpMode.needed)[number]> & {
    readonly mode: 'http';
    /** Listens already; the bot takes over its port, so that the public address is known before the bot starts. */
    readonly listener?: Server;
  };

/** A bot in a real Slack. */
export type BotConfig = SocketConfig | HttpConfig;

export type PlaygroundConfig = Common & Settings & { readonly mode: 'playground' };

export type Config = BotConfig | PlaygroundConfig;

export type ConfigResult<Read = Config> =
  | { readonly isValid: true; readonly config: Read }
  /** One sentence for each problem, beginning with the variable's name. */
  | { readonly isValid: false; readonly problems: readonly string[] };

/** @param environment such as `process.env`; an empty value counts as missing */
export function readConfig(environment: Environment): ConfigResult {
  const { values, problems: invalid } = readSettings(environment, settingNames);
  const problems = [...invalid, ...modeProblems((name) => Boolean(environment[name]))];
  if (problems.length > 0) return { isValid: false, problems };
  return { isValid: true, config: Object.freeze(configOf(values, proxyOf(environment))) };
}

/** For the scripts that work on the store; ignores all other settings. */
export function readStoreConfig(environment: Environment): ConfigResult<StoreConfig> {
  const names = ['DATABASE_URL', 'ENCRYPTION_KEYS_FILE', 'ENCRYPTION_KEYS'] as const;
  const { values, problems } = readSettings(environment, names);
  if (problems.length > 0) return { isValid: false, problems };
  return { isValid: true, config: { ...values, keyring: keyringOf(values) } };
}

function modeProblems(isGiven: (name: string) => boolean): readonly string[] {
  const [chosen, other] = [socketMode, httpMode].filter(({ own }) => own.some(isGiven));
  if (!chosen) return [];
  if (other) {
    return [...chosen.own, ...other.own]
      .filter(isGiven)
      .map((name) => `${name} cannot be set here: a bot runs in ${chosen.name} or in ${other.name}, not in both.`);
  }
  const missing = chosen.needed.filter((name) => !isGiven(name));
  return [
    ...missing.map((name) => `${name} is missing; ${chosen.name} needs it.`),
    ...(chosen === httpMode ? httpProblems(isGiven) : []),
  ];
}

function httpProblems(isGiven: (name: string) => boolean): readonly string[] {
  return [
    ...(isGiven('ENCRYPTION_KEYS_FILE') || isGiven('ENCRYPTION_KEYS')
      ? []
      : ['ENCRYPTION_KEYS_FILE is missing; HTTP mode stores tokens. Make one: npm run store:make-key -- <file>.']),
    ...(isGiven('QUERY_SERVICE_API_KEY')
      ? ['QUERY_SERVICE_API_KEY cannot be set here: in HTTP mode each workspace connects with a key of its own.']
      : []),
  ];
}

function proxyOf(environment: Environment): ProxySettings {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name];
  const [httpProxy, httpsProxy, noProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY'), read('NO_PROXY')];
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

function keyringOf(values: Settings<'ENCRYPTION_KEYS_FILE' | 'ENCRYPTION_KEYS'>): KeyringSource | undefined {
  const { encryptionKeysFile: path, encryptionKeys: text } = values;
  if (path !== undefined) return { kind: 'file', path };
  return text === undefined ? undefined : { kind: 'text', text };
}

function configOf(values: Settings, proxy: ProxySettings): Config {
  const common = { ...values, proxy, keyring: keyringOf(values) };
  if (hasSettings(common, socketMode.needed)) return { ...common, mode: 'socket' };
  if (hasSettings(common, httpMode.needed)) return { ...common, mode: 'http' };
  return { ...common, mode: 'playground' };
}
