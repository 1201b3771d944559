/** Routes for the operator of a program: liveness, readiness and metrics. */

import { AppError } from '../errors.ts';
import type { Logger } from '../log/logger.ts';
import { withTimeout } from '../time/timeout.ts';
import { writeText } from './exchange.ts';
import { onlyUnder } from './host-names.ts';
import type { Route } from './routes.ts';

export type OperationsDeps = {
  /** @returns true if Slack can reach this process */
  readonly isConnected: () => boolean;
  /** @returns what is wrong with the bot's own database, in a line; undefined where nothing is */
  readonly storeProblem: () => Promise<string | undefined>;
  /** @returns the ids of the encryption keys that stored secrets need and the keyring lacks */
  readonly missingKeys: () => Promise<readonly string[]>;
  /** @returns what is wrong with the clock of this machine, in a line; undefined where nothing is known to be */
  readonly clockProblem: () => string | undefined;
  readonly metrics: { readonly text: () => Promise<string>; readonly contentType: string };
};

/** A note that takes longer is left out: readiness waits behind no query. */
const notesWithinMs = 500;

/** Problems in a line each; none names a workspace. */
type Problems = () => Promise<readonly string[]>;

/**
 * @param hostNames names beside addresses and private ones under which readiness and metrics answer
 * @returns the bot's: what it needs is a connection to Slack, its store and a clock
 */
export function operationsRoutes(
  { metrics, ...deps }: OperationsDeps,
  hostNames: readonly string[] = [],
): Readonly<Record<string, Route>> {
  return monitoringRoutes({ problems: () => problemsOf(deps), notes: () => notesOf(deps), metrics, hostNames });
}

type Monitored = Pick<OperationsDeps, 'metrics'> & {
  readonly problems: Problems;
  /** Faults that keep a part of the work from being done: taking this process out of service would stop the rest as well. */
  readonly notes?: Problems;
  readonly hostNames: readonly string[];
};

/**
 * `GET /healthz`: the process answers; restart it where it does not. `GET /readyz`: it can take work; send it none where it
 * cannot. `GET /metrics`: for Prometheus. None of them tells anything of a workspace or an organization; the last two answer
 * under known names alone.
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

async function notesOf({ missingKeys }: Pick<OperationsDeps, 'missingKeys'>): Promise<readonly string[]> {
  const keyIds = await withTimeout(notesWithinMs, missingKeys(), 'The store is slow.').catch(() => []);
  return keyIds.map((id) => `keys: ${id} is missing from the keyring, what is encrypted under it cannot be used`);
}

async function problemsOf({
  isConnected,
  storeProblem,
  clockProblem,
}: Omit<OperationsDeps, 'metrics' | 'missingKeys'>) {
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
 * @returns what is wrong, in a line, or undefined; never rejects; a change is logged once
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

/** @returns a function that asks anew once the latest answer is a second old, and meanwhile gives that one to everybody */
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
