/** Routes for the administrator of a program: liveness, readiness and metrics. */

import { AppError } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { withTimeout } from '../time/timeout.ts';
import { writeText } from './exchange.ts';
import { onlyUnder } from './host-names.ts';
import type { Route } from './routes.ts';

export type OperationsDeps = {
  /** @returns true if Slack can reach this process */
  readonly isConnected: () => boolean;
  /** @returns one line about the problem with the bot's own database; undefined if there is none */
  readonly storeProblem: () => Promise<string | undefined>;
  /** @returns the ids of the encryption keys that stored secrets need and the keyring lacks */
  readonly missingKeys: () => Promise<readonly string[]>;
  /** @returns one line about the problem with this machine's clock; undefined if none is known */
  readonly clockProblem: () => string | undefined;
  /** @returns lines about parts of the work, which do not change readiness */
  readonly notes?: () => readonly string[];
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
};

/** A slower note is left out, so that readiness does not wait for a query. */
const notesWithinMs = 500;

/** One line per problem; none names a workspace. */
type Problems = () => Promise<readonly string[]>;

/**
 * Routes of the bot, which needs a connection to Slack, its store and a correct clock.
 * @param hostNames further names, beside addresses and private names, under which readiness and metrics answer
 */
export function operationsRoutes(
  deps: OperationsDeps,
  hostNames: readonly string[] = [],
): Readonly<Record<string, Route>> {
  const { metrics } = deps;
  return monitoringRoutes({ problems: () => problemsOf(deps), notes: () => notesOf(deps), metrics, hostNames });
}

type Monitored = {
  readonly metrics: OperationsDeps['metrics'];
  readonly problems: Problems;
  /** Faults that stop only a part of the work. Taking this process out of service would stop the rest too. */
  readonly notes?: Problems;
  readonly hostNames: readonly string[];
};

/**
 * `GET /healthz`: the process answers; otherwise restart it. `GET /readyz`: the process can work; otherwise send it no
 * requests. `GET /metrics`: for Prometheus. No answer names a workspace or an organization. The last two answer only
 * under known names.
 */
export function monitoringRoutes({
  problems,
  notes = async () => [],
  metrics,
  hostNames,
}: Monitored): Readonly<Record<string, Route>> {
  return {
    'GET /healthz': (_request, response) => writeText(response, 200, 'ok\n'),
    ...onlyUnder(hostNames, {
      'GET /readyz': async (_request, response) => {
        const [found, noted] = await Promise.all([problems(), notes()]);
        const lines = [...(found.length === 0 ? ['ready'] : found), ...noted];
        writeText(response, found.length === 0 ? 200 : 503, `${lines.join('\n')}\n`);
      },
      'GET /metrics': async (_request, response) => {
        writeText(response, 200, await metrics.text(), metrics.contentType);
      },
    }),
  };
}

async function notesOf({ missingKeys, notes }: OperationsDeps): Promise<readonly string[]> {
  const keyIds = await withTimeout(notesWithinMs, missingKeys(), 'The store is slow.').catch(() => []);
  const lines = keyIds.map(
    (id) => `keys: ${id} is missing from the keyring, what is encrypted under it cannot be used`,
  );
  return [...lines, ...(notes?.() ?? [])];
}

async function problemsOf({ isConnected, storeProblem, clockProblem }: OperationsDeps): Promise<readonly string[]> {
  const [clock, store] = [clockProblem(), await storeProblem()];
  return [
    ...(clock === undefined ? [] : [clock]),
    ...(isConnected() ? [] : ['slack: not connected']),
    ...(store === undefined ? [] : [`store: ${store}`]),
  ];
}

const freshMs = 1_000;

/**
 * @param check rejects while the database does not answer, takes no writes, or lacks a table
 * @returns a function that returns one line about the problem, or undefined; it never rejects and logs each change once
 */
export function createReadiness(check: () => Promise<void>, log: Logger): () => Promise<string | undefined> {
  let known: string | undefined;
  return onceASecond(async () => {
    const fault = await check().then(
      () => undefined,
      (error: unknown) => ({ error, problem: error instanceof AppError ? error.publicMessage : 'no answer' }),
    );
    if (fault && fault.problem !== known) {
      log.error({ err: fault.error, problem: fault.problem }, 'not ready: the database does not answer as it should');
    }
    if (!fault && known !== undefined) log.info({}, 'ready again');
    known = fault?.problem;
    return known;
  });
}

/** @returns a function that calls `ask` at most once a second and otherwise returns its latest answer */
export function onceASecond<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { readonly answer: Promise<Answer>; freshUntil: number } | undefined;
  return () => {
    if (latest !== undefined && performance.now() < latest.freshUntil) return latest.answer;
    const entry = { answer: ask(), freshUntil: Number.POSITIVE_INFINITY };
    const markFresh = () => {
      entry.freshUntil = performance.now() + freshMs;
    };
    entry.answer.then(markFresh, markFresh);
    latest = entry;
    return entry.answer;
  };
}
