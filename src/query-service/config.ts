/** Reads the settings of the query service from flags, then the environment, then defaults. Reports all problems at once. */
import { parseArgs } from 'node:util';
import {
  type Environment,
  isServiceSetting,
  readSettings,
  type ServiceSettingName,
  type SettingName,
  type Settings,
  settingNames,
} from '../shared/settings.ts';
import type { RateLimit } from './limits/rate-limiter.ts';
import { parseInstant } from './scalar-text.ts';
import type { ServiceOptions } from './service.ts';

export type ServiceConfig = Settings<ServiceSettingName> &
  ReturnType<typeof optionsOf> &
  ReturnType<typeof readTime> & {
    readonly host: string;
    /** True if the start-up message is one line of JSON. */
    readonly isJson: boolean;
  };

export type ServiceConfigResult =
  | { readonly isValid: true; readonly config: ServiceConfig }
  /** One sentence per problem. */
  | { readonly isValid: false; readonly problems: readonly string[] };

export const serviceUsage =
  'npm run service -- [--port 4000] [--host 127.0.0.1] [--database sqlite:<file>] [--rate-limit 50] [--sample] [--now <time>] [--json]';

/** Burst of an idle key, in seconds of its rate. */
const burstSeconds = 4;

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  database: { type: 'string' },
  'rate-limit': { type: 'string' },
  now: { type: 'string' },
  sample: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** Flags that take precedence over a setting. */
const flagOf: Partial<Record<SettingName, keyof typeof flags>> = {
  SERVICE_PORT: 'port',
  SERVICE_DATABASE_URL: 'database',
  SERVICE_RATE_LIMIT: 'rate-limit',
};

/**
 * @param args the arguments after the program's name
 * @param environment such as `process.env`; an empty value counts as missing
 */
export function readServiceConfig(args: readonly string[], environment: Environment): ServiceConfigResult {
  const problems: string[] = [];
  const given = readFlags(args, problems);
  const byFlag = Object.fromEntries(
    Object.entries(flagOf).flatMap(([name, flag]) => (flag in given ? [[name, given[flag]]] : [])),
  );
  const labelOf = (name: SettingName) => (name in byFlag ? `--${flagOf[name]}` : name);
  const names = settingNames.filter(isServiceSetting);
  const { values, problems: invalid } = readSettings({ ...environment, ...byFlag }, names, labelOf);
  problems.push(...invalid);
  const time = readTime(given, problems);
  if (values.serviceReadUrls?.length && values.serviceDatabaseUrl?.startsWith('sqlite:')) {
    problems.push('SERVICE_READ_URLS needs a PostgreSQL server in SERVICE_DATABASE_URL.');
  }
  if (problems.length > 0) return { isValid: false, problems };
  return {
    isValid: true,
    config: { ...values, ...optionsOf(values), ...time, host: given['host'] ?? '127.0.0.1', isJson: 'json' in given },
  };
}

/** Converts the settings to the options of the service. */
function optionsOf(values: Settings<ServiceSettingName>) {
  const { serviceRateLimit, serviceDatabaseBudget, serviceRetentionDays: retentionDays } = values;
  const { serviceMetricsHost: host, serviceMetricsPort: port, metricsHosts = [] } = values;
  return {
    databaseUrl: values.serviceDatabaseUrl,
    readUrls: values.serviceReadUrls ?? [],
    readLagMaxMs: values.serviceReadLagMs,
    port: values.servicePort,
    ...(serviceRateLimit > 0 && { rateLimit: limitOf(serviceRateLimit) }),
    ...(serviceDatabaseBudget > 0 && { databaseBudget: limitOf(serviceDatabaseBudget) }),
    ...(retentionDays && { retentionDays }),
    /** Address of health and metrics, separate from the public endpoint; undefined for none. */
    metrics: port === undefined ? undefined : { host, port, hostNames: [host, ...metricsHosts] },
  };
}

function limitOf(perSecond: number): RateLimit {
  return { perSecond, burst: perSecond * burstSeconds };
}

/** The flag --now fixes the clock and the sample. */
function readTime(given: Environment, problems: string[]): Pick<ServiceOptions, 'sample' | 'clock'> {
  const now = given['now'] === undefined ? null : parseInstant(given['now']);
  if (given['now'] !== undefined && now === null) {
    problems.push('--now must be an instant such as 2026-11-20T10:00:00Z.');
  }
  const sample = given['sample'] === undefined ? 'none' : now === null ? 'moving' : 'fixed';
  return { sample, clock: now === null ? Date.now : () => now };
}

/** @returns the given flags; a flag without a value has an empty text */
function readFlags(args: readonly string[], problems: string[]): Environment {
  const { tokens } = parseArgs({
    args: [...args],
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Record<string, string> = {};
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`“${token.value}” is not a flag.`);
    if (token.kind !== 'option') continue;
    const flag = Object.entries(flags).find(([name]) => name === token.name)?.[1];
    if (!flag) problems.push(`${token.rawName} is not a flag of the service.`);
    else if (flag.type === 'string' && !token.value) problems.push(`${token.rawName} needs a value.`);
    else if (flag.type === 'boolean' && token.value !== undefined) problems.push(`${token.rawName} takes no value.`);
    else given[token.name] = token.value ?? '';
  }
  return given;
}
