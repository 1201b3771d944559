/** Many digests that are due in the same minute, shared by two replicas: measures lateness and resources. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { nextDue } from '../../src/bot/domain/schedule.ts';
import { defaultTiming } from '../../src/bot/outbox/timing.ts';
import { openDatabase } from '../../src/bot/store/database.ts';
import { openStore } from '../../src/bot/store/store.ts';
import type { Tables } from '../../src/bot/store/tables.ts';
import { type Replica, startReplica } from '../../test/support/delivery/fleet.ts';
import { quantile } from './figures.ts';
import { startLimitedSlack } from './limited-slack.ts';
import { cpuMs, residentMiB } from './processes.ts';

export type CrowdOptions = {
  readonly storeUrl: string;
  readonly workspaces: number;
  readonly perWorkspace: number;
  readonly repliesCount: number;
  readonly replicas: number;
  /** Time to build a digest, and latency of Slack. */
  readonly buildMs: number;
  readonly latencyMs: number;
};

export type CrowdCounts = {
  readonly due: number;
  readonly posted: number;
  readonly lost: number;
  readonly doubled: number;
  readonly sentAway: number;
  /** Lateness of the roots after the due time. */
  readonly lateness: { readonly p50: number; readonly p99: number; readonly last: number };
  /** When the last root is posted if only Slack's rate and the wait before a digest is built limit it. */
  readonly boundMs: number;
  /** Until the last message, with replies. */
  readonly doneMs: number;
  readonly database: { readonly transactionsPerDigest: number; readonly msPerDigest: number };
  /** Processor milliseconds for each digest; Slack's is that of this process. */
  readonly cpu: { readonly replicas: number; readonly database: number; readonly slack: number };
  /** MiB of each replica: before, half way, at the end, and the maximum. */
  readonly memory: readonly (readonly [number, number, number, number])[];
};

/** Time for the replicas to start. */
const aheadMs = 60_000;
const deadlineMs = 900_000;

export async function runCrowd(options: CrowdOptions): Promise<CrowdCounts> {
  await (await openStore(options.storeUrl)).close();
  const { db, close } = await openDatabase(options.storeUrl, 'script');
  const slack = await startLimitedSlack(options.latencyMs);
  try {
    const dueAt = await subscribe(db, options);
    let finished = 0;
    const all = options.workspaces * options.perWorkspace;
    const replicas = Array.from({ length: options.replicas }, (_, index) =>
      startReplica({ ...replicaOptions(options, slack.apiUrl), name: `${index}` }, (line) => {
        finished += Number(line === 'after finish');
      }),
    );
    await Promise.all(replicas.map(({ started }) => started));
    if (Date.now() > dueAt)
      throw new Error('The machine is too slow: the replicas started after the digests were due.');
    const samples: number[][] = [];
    const cpu = watchCpu(db, replicas);
    for (const end = Date.now() + deadlineMs; finished < all && Date.now() < end; await wait(1000)) {
      samples.push(replicas.map(({ child }) => residentMiB(child.pid ?? 0)));
      await cpu.look();
    }
    for (const { child } of replicas) child.kill('SIGTERM');
    await Promise.all(replicas.map(({ ended }) => ended));
    return {
      ...timesOf(options, slack.posted, dueAt),
      sentAway: slack.refused(),
      ...(await database(db, all)),
      cpu: cpu.perDigest(all),
      memory: memoryOf(samples),
    };
  } finally {
    await close();
    await slack.close();
  }
}

function replicaOptions({ storeUrl, buildMs, repliesCount }: CrowdOptions, apiUrl: string) {
  const asItIs = { strategy: 'outbox', timing: {}, limits: {} } as const;
  return { ...asItIs, storeUrl, apiUrl, buildMs, repliesCount, subscriptions: 0, teams: 1 };
}

/** @returns the due time of all */
async function subscribe(db: Kysely<Tables>, { workspaces, perWorkspace }: CrowdOptions): Promise<number> {
  const { localTime } = nextDue({ time: '09:00', weekdays: [1, 2, 3, 4, 5, 6, 7], zone: 'UTC' }, { at: Date.now() });
  const dueAt = Date.now() + aheadMs;
  await sql`
    insert into subscription (team_id, id, channel_id, time, weekdays, zone, workflows, has_all_clear, on_uncertain,
      created_by, created_at, next_at, next_local_time, next_shift)
    select 'T' || i % ${sql.lit(workspaces)}, 'S' || i, 'C' || i, '09:00', '1,2,3,4,5,6,7', 'UTC', '{"kind":"all"}', 1, 'hold',
      'U1', 0, ${sql.lit(dueAt)}, ${localTime}, 'none'
    from generate_series(0, ${sql.lit(workspaces * perWorkspace - 1)}) as i`.execute(db);
  return dueAt;
}

function timesOf(
  { workspaces, perWorkspace, repliesCount }: CrowdOptions,
  posted: ReadonlyMap<string, readonly number[]>,
  dueAt: number,
) {
  const due = workspaces * perWorkspace;
  const roots = [...posted].filter(([text]) => text.endsWith('|root')).flatMap(([, [at = Number.NaN]]) => at - dueAt);
  return {
    due,
    posted: roots.length,
    lost: due * (1 + repliesCount) - posted.size,
    doubled: [...posted.values()].filter(({ length }) => length > 1).length,
    lateness: { p50: quantile(roots, 0.5), p99: quantile(roots, 0.99), last: quantile(roots, 1) },
    boundMs:
      defaultTiming.serviceLagMs +
      defaultTiming.jitterMsMax +
      (perWorkspace * (1 + repliesCount) - 1 - repliesCount) * defaultTiming.postIntervalMs,
    doneMs: quantile([...posted.values()].flat(), 1) - dueAt,
  };
}

/** Busy time of its connections as the server counts it, with waits for locks. */
async function database(db: Kysely<Tables>, digests: number) {
  const { rows } = await sql<{ readonly transactions: number; readonly ms: number }>`
    select xact_commit as transactions, active_time as ms from pg_stat_database where datname = current_database()`.execute(
    db,
  );
  const [{ transactions, ms } = { transactions: Number.NaN, ms: Number.NaN }] = rows;
  return { database: { transactionsPerDigest: transactions / digests, msPerDigest: ms / digests } };
}

/** The server runs on this machine, for this run only. */
function watchCpu(db: Kysely<Tables>, replicas: readonly Replica[]) {
  const begun = process.cpuUsage();
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  const look = async () => {
    const { rows } = await sql<{ readonly pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'workflow-bot'`.execute(db);
    const pids = [...replicas.map(({ child }) => ['replica', child.pid]), ...rows.map(({ pid }) => ['database', pid])];
    for (const [kind, pid] of pids) {
      const ms = cpuMs(pid ?? 0);
      if (ms === undefined) continue;
      if (!first.has(`${kind} ${pid}`)) first.set(`${kind} ${pid}`, kind === 'replica' ? ms : 0);
      last.set(`${kind} ${pid}`, ms);
    }
  };
  const sum = (kind: string) =>
    [...last].reduce((ms, [key, at]) => ms + (key.startsWith(kind) ? at - (first.get(key) ?? 0) : 0), 0);
  const perDigest = (digests: number) => {
    const { user, system } = process.cpuUsage(begun);
    const slack = (user + system) / 1000;
    return { replicas: sum('replica') / digests, database: sum('database') / digests, slack: slack / digests };
  };
  return { look, perDigest };
}

function memoryOf(samples: readonly (readonly number[])[]): CrowdCounts['memory'] {
  return (samples[0] ?? []).map((_, replica) => {
    const ofOne = samples.flatMap((sample) => sample[replica] ?? []);
    return [ofOne[0] ?? 0, ofOne[ofOne.length >> 1] ?? 0, ofOne.at(-1) ?? 0, Math.max(...ofOne)];
  });
}
