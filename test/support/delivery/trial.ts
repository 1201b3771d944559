/** Trial of delivery by killed processes: compares due digests with visible messages. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { type Database, openDatabase } from '../../../src/bot/store/database.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { type Kill, killReplica, type Replica, startReplica } from './fleet.ts';
import { type Judge, type JudgeOptions, type PostMoment, startJudge } from './judge.ts';
import type { ReplicaOptions } from './replica.ts';
import { leftLine, type Version } from './versions.ts';

export type TrialOptions = Pick<
  ReplicaOptions,
  'storeUrl' | 'strategy' | 'timing' | 'limits' | 'buildMs' | 'repliesCount' | 'teams'
> & {
  /** How many processes share the store. */
  readonly replicas: number;
  /** Each ends one process; afterwards the rest is delivered undisturbed. */
  readonly kills: readonly Kill[];
  /** Due anew with each process that starts. */
  readonly duePerStart: number;
  readonly judge: JudgeOptions;
  /** The longest life of a process that does not end itself. */
  readonly lifeMs: number;
  /** Deadline for delivering the rest. */
  readonly deadlineMs: number;
  /** A root posted later than this after its due time is late. Time in which every process was ended or still starting does not count. */
  readonly lateAfterMs: number;
  /** URL of the store for the processes, if it differs from the test's. */
  readonly replicasStoreUrl?: string;
  /** Versions of the processes, in turn. */
  readonly versions?: readonly Version[];
  /** The clock of each process is this much ahead of the previous one's. */
  readonly skewMs?: number;
  /** How long the query service is away from the start. */
  readonly serviceGoneMs?: number;
};

export type Counts = {
  readonly kills: number;
  readonly due: number;
  readonly posted: number;
  readonly late: number;
  /** Messages of occurrences that ended otherwise. */
  readonly uncertain: number;
  readonly dead: number;
  /** Messages: roots and replies. */
  readonly messages: number;
  readonly duplicatedBeforeCheck: number;
  /** By subscription, occurrence and message. */
  readonly duplicated: readonly string[];
  readonly lost: readonly string[];
  readonly worstLatenessMs: number;
  /** How often a process met a payload of a newer version. */
  readonly leftToOthers: number;
};

export async function runTrial(options: TrialOptions): Promise<Counts> {
  await (await openStore(options.storeUrl)).close();
  const judge = await startJudge(options.judge);
  const { db, close } = await openDatabase(options.storeUrl, 'script');
  const news = new EventEmitter();
  let leftToOthers = 0;
  const pauses = new Pauses();
  const start = replicaStarter(options, judge, pauses, (line) => {
    if (line === leftLine) leftToOthers += 1;
    news.emit('line');
  });
  const left = [...options.kills];
  try {
    await Promise.all(
      Array.from({ length: options.replicas }, (_, index) => killInTurn(options, left, (kill) => start(index, kill))),
    );
    // One of each version, if the store can be shared: each leaves payloads of a newer one.
    const length = Math.min(options.replicas, options.versions?.length ?? 1);
    const last = Array.from({ length }, (_, index) => start(index, undefined));
    const until = async (wanted: string, isDone: () => Promise<boolean>) => {
      const signal = AbortSignal.timeout(options.deadlineMs);
      for (;;) {
        const line = once(news, 'line', { signal });
        line.catch(() => undefined);
        if (await isDone()) return;
        await line.catch(async (cause: unknown) => {
          const alive = last.filter(({ child }) => child.exitCode === null && child.signalCode === null).length;
          const about = `${alive} of ${last.length} processes alive, ${await statesIn(db)}`;
          throw new Error(`After ${options.deadlineMs} ms the trial still waited for ${wanted}: ${about}.`, { cause });
        });
      }
    };
    const count = async (query: RawBuilder<{ readonly n: number }>) => {
      for (let tries = 0; ; tries += 1) {
        try {
          return Number((await query.execute(db)).rows[0]?.n);
        } catch (error) {
          // Outages of the database affect this connection, too.
          if (tries === 300) throw error;
          await wait(200);
        }
      }
    };
    await until(
      'digests that are due',
      async () =>
        (await count(sql`select count(*) as n from delivery where state = 'due'`)) === 0 &&
        (await count(sql`select count(*) as n from subscription where next_at <= ${Date.now()}`)) === 0,
    );
    // The bot checks for duplicates after two minutes, and after ten.
    await wait(options.judge.lateMs);
    const duplicatedBeforeCheck = duplicatesOf(judge).length;
    for (const checks of options.strategy === 'outbox' ? [1, 2] : []) {
      await sql`update posted_message set duplicate_check_at = 0 where duplicate_check_at is not null`.execute(db);
      await until(
        'the check for duplicates',
        async () =>
          (await count(
            sql`select count(*) as n from posted_message
              where state = 'sent' and attempts > 1 and duplicate_checks < ${checks}`,
          )) === 0,
      );
    }
    const occurrences = await sql<DeliveryRow>`
      select subscription.id as id, delivery.occurrence_id, delivery.state, delivery.due_at
      from subscription left join delivery
        on delivery.team_id = subscription.team_id and delivery.subject = subscription.id`.execute(db);
    const messages = await sql<MessageRow>`
      select subject as id, occurrence_id, name, state from posted_message`.execute(db);
    await ended(last);
    const counts = { kills: options.kills.length, duplicatedBeforeCheck, leftToOthers };
    return { ...counts, ...judged(options, { judge, pauses }, occurrences.rows, messages.rows) };
  } finally {
    await close();
    await judge.close();
  }
}

/** The time in which no process worked: on a busy machine the next one starts slowly. */
class Pauses {
  readonly #pauses: { readonly from: number; readonly to: number }[] = [];
  #working = 0;
  #from = Date.now();

  watch({ started, ended: end }: Replica): void {
    void started
      .then(() => {
        if (this.#working === 0) this.#pauses.push({ from: this.#from, to: Date.now() });
        this.#working += 1;
        return end;
      })
      .then(() => {
        this.#working -= 1;
        this.#from = Date.now();
      });
  }

  msBetween(from: number, to: number): number {
    const overlaps = this.#pauses.map((pause) => Math.min(to, pause.to) - Math.max(from, pause.from));
    return overlaps.reduce((sum, ms) => sum + Math.max(0, ms), 0);
  }
}

/** @returns the number of occurrences and messages in each state, in words */
async function statesIn(db: Database['db']): Promise<string> {
  const { rows } = await sql<{ readonly what: string; readonly state: string; readonly n: number }>`
    select 'occurrences' as what, state, count(*) as n from delivery group by state union all
    select 'messages' as what, state, count(*) as n from posted_message group by state`.execute(db);
  return rows.map(({ what, state, n }) => `${n} ${what} ${state}`).join(', ');
}

type DeliveryRow = {
  readonly id: string;
  readonly occurrenceId: string | null;
  readonly state: string | null;
  readonly dueAt: number | null;
};
type MessageRow = {
  readonly id: string;
  readonly occurrenceId: string;
  readonly name: string;
  readonly state: string;
};

function judged(
  { lateAfterMs, repliesCount }: TrialOptions,
  { judge, pauses }: { readonly judge: Judge; readonly pauses: Pauses },
  occurrences: readonly DeliveryRow[],
  messages: readonly MessageRow[],
) {
  const standing = judge.standing();
  const posted = occurrences.filter(({ state }) => state === 'posted');
  const names = ['root', ...Array.from({ length: repliesCount }, (_, index) => `cause-${index + 1}`)];
  const given = new Set(
    messages
      .filter(({ state }) => state === 'uncertain' || state === 'dead')
      .map(({ id, occurrenceId, name }) => `${id}|${occurrenceId}|${name}`),
  );
  const wanted = occurrences.flatMap(({ id, occurrenceId, state }) =>
    state === 'dead' ? [] : names.map((name) => `${id}|${occurrenceId}|${name}`),
  );
  const lateness = posted.flatMap(({ id, occurrenceId, dueAt }) =>
    (standing.get(`${id}|${occurrenceId}|root`) ?? []).map(
      ({ at }) => at - Number(dueAt) - pauses.msBetween(Number(dueAt), at),
    ),
  );
  return {
    due: occurrences.length,
    posted: posted.length,
    late: lateness.filter((ms) => ms > lateAfterMs).length,
    uncertain: messages.filter(({ state }) => state === 'uncertain').length,
    dead: occurrences.filter(({ state }) => state === 'dead').length,
    messages: [...standing.values()].flat().length,
    duplicated: duplicatesOf(judge),
    lost: wanted.filter((text) => !standing.has(text) && !given.has(text)),
    worstLatenessMs: Math.max(0, ...lateness),
  };
}

function duplicatesOf(judge: Judge): readonly string[] {
  return [...judge.standing()].filter(([, { length }]) => length > 1).map(([text]) => text);
}

/** @returns a function that starts a process with its own token */
function replicaStarter(options: TrialOptions, judge: Judge, pauses: Pauses, onLine: (line: string) => void) {
  const onPost = new Map<string, (moment: PostMoment) => void>();
  judge.onPost = (moment, token) => onPost.get(/^xoxb-([^.]*)/.exec(token)?.[1] ?? '')?.(moment);
  let started = 0;
  const serviceBackAt = Date.now() + (options.serviceGoneMs ?? 0);
  return (index: number, kill: Kill | undefined): Replica => {
    const version = options.versions?.[started % options.versions.length];
    const name = `${index}-${started++}`;
    const replica = startReplica(
      {
        ...options,
        ...(version && { version }),
        name,
        apiUrl: judge.apiUrl,
        storeUrl: options.replicasStoreUrl ?? options.storeUrl,
        serviceBackAt,
        clockAheadMs: index * (options.skewMs ?? 0),
        subscriptions: kill ? options.duePerStart : 0,
        ...((kill?.kind === 'failpoint' || kill?.kind === 'memory') && { kill }),
      },
      onLine,
    );
    pauses.watch(replica);
    let posts = 0;
    if (kill?.kind === 'post') {
      onPost.set(name, (moment) => {
        if (moment === kill.moment && ++posts === kill.nth) replica.child.kill(kill.signal ?? 'SIGKILL');
      });
    }
    return replica;
  };
}

async function killInTurn({ lifeMs }: TrialOptions, left: Kill[], start: (kill: Kill) => Replica): Promise<void> {
  for (let kill = left.shift(); kill; kill = left.shift()) await killReplica(start(kill), kill, lifeMs);
}

async function ended(replicas: readonly Replica[]): Promise<void> {
  for (const { child } of replicas) child.kill('SIGTERM');
  await Promise.all(replicas.map(({ ended: end }) => end));
}
