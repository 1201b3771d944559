/** Reads the settings of the query service: flags, then the environment, then defaults. Reports all problems at once. */
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { settings } from '../shared/settings.ts';
import { parseInstant } from './graphql/scalar-text.ts';
import type { RateLimit } from './limits/rate-limiter.ts';
import type { ServiceOptions } from './service.ts';

export type ServiceConfig = Pick<
  ServiceOptions,
  'databaseUrl' | 'host' | 'port' | 'sample' | 'clock' | 'rateLimit' | 'databaseBudget' | 'retentionDays'
> & {
  /** Address of health and metrics, separate from the public endpoint; undefined for none. */
  readonly metrics: { readonly host: string; readonly port: number; readonly hostNames: readonly string[] } | undefined;
  readonly logLevel: z.output<typeof settings.LOG_LEVEL>;
  /** True if the start-up message is one line of JSON. */
  readonly isJson: boolean;
};

export type ServiceConfigResult =
  | { readonly isValid: true; readonly config: ServiceConfig }
  /** One sentence a problem. */
  | { readonly isValid: false; readonly problems: readonly string[] };

export const serviceUsage =
  'npm run service -- [--port 4000] [--host 127.0.0.1] [--database sqlite:<file>] [--rate-limit 50] [--sample] [--now <time>] [--json]';

/** The burst of an idle key, in seconds of its rate. */
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

type Given = Readonly<Record<string, string | undefined>>;

/** @param args what follows the program's name @param environment such as `process.env`; an empty value counts as none */
export function readServiceConfig(args: readonly string[], environment: Given): ServiceConfigResult {
  const problems: string[] = [];
  const given = readFlags(args, problems);
  const read = <Schema extends z.ZodType>(schema: Schema, flag: string, variable: string) => {
    const parsed = schema.safeParse(given[flag] ?? (environment[variable] || undefined));
    if (parsed.success) return parsed.data;
    const source = given[flag] === undefined ? variable : `--${flag}`;
    problems.push(...parsed.error.issues.map((issue) => `${source} ${issue.message}.`));
    return null;
  };
  const port = read(settings.SERVICE_PORT, 'port', 'SERVICE_PORT');
  const databaseUrl = read(settings.SERVICE_DATABASE_URL, 'database', 'SERVICE_DATABASE_URL');
  const perSecond = read(settings.SERVICE_RATE_LIMIT, 'rate-limit', 'SERVICE_RATE_LIMIT');
  const databaseMs = read(settings.SERVICE_DATABASE_BUDGET, '', 'SERVICE_DATABASE_BUDGET');
  const retentionDays = read(settings.SERVICE_RETENTION_DAYS, '', 'SERVICE_RETENTION_DAYS');
  const metricsHost = read(settings.SERVICE_METRICS_HOST, '', 'SERVICE_METRICS_HOST');
  const metricsHosts = read(settings.METRICS_HOSTS, '', 'METRICS_HOSTS') ?? [];
  const metricsPort = read(settings.SERVICE_METRICS_PORT, '', 'SERVICE_METRICS_PORT');
  const logLevel = read(settings.LOG_LEVEL, '', 'LOG_LEVEL');
  const time = readTime(given, problems);
  const isWhole = port !== null && databaseUrl !== null && perSecond !== null && databaseMs !== null;
  if (problems.length > 0 || !isWhole || metricsHost === null || metricsPort === null || logLevel === null)
    return { isValid: false, problems };
  const config = {
    ...{ databaseUrl, host: given['host'] ?? '127.0.0.1', port, logLevel, ...time },
    ...(perSecond > 0 && { rateLimit: limitOf(perSecond) }),
    ...(databaseMs > 0 && { databaseBudget: limitOf(databaseMs) }),
    ...(retentionDays && { retentionDays }),
    metrics:
      metricsPort === undefined
        ? undefined
        : { host: metricsHost, port: metricsPort, hostNames: [metricsHost, ...metricsHosts] },
    isJson: given['json'] !== undefined,
  } as const;
  return { isValid: true, config };
}

function limitOf(perSecond: number): RateLimit {
  return { perSecond, burst: perSecond * burstSeconds };
}

/** The flag --now fixes the clock and the sample. */
function readTime(given: Given, problems: string[]): Pick<ServiceConfig, 'sample' | 'clock'> {
  const now = given['now'] === undefined ? null : parseInstant(given['now']);
  if (given['now'] !== undefined && now === null) {
    problems.push('--now must be an instant such as 2026-11-20T10:00:00Z.');
  }
  const sample = given['sample'] === undefined ? 'none' : now === null ? 'moving' : 'fixed';
  return { sample, clock: now === null ? Date.now : () => now };
}

/** @returns the flags that were given, those without a value as an empty text */
function readFlags(args: readonly string[], problems: string[]): Given {
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
