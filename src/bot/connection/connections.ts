/** Connections of all workspaces: query clients, connecting, key health, and a daily check of every stored key. */
import { hash } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';
import { type Repetition, repeat } from '../../shared/time/repeat.ts';
import type { Person } from '../domain/person.ts';
import type { QueryOptions } from '../query/parameters.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import type { Store } from '../store/store.ts';
import { Connection } from './connection.ts';
import { type ConnectionServices, KeyHealth } from './key-health.ts';

export interface Connections {
  /** Its operations reject with AppError `unauthorized` if the workspace has no key. */
  readonly queryClientFor: (teamId: string, options: QueryOptions) => QueryClient;
  readonly connectionOf: (person: Person) => Connection;
}

export interface KeyChecks extends Repetition {
  /** Checks every due key now. Never rejects. */
  readonly round: (stopping?: AbortSignal) => Promise<void>;
}

export function createConnections(services: ConnectionServices): Connections & KeyChecks {
  const { query, resolver } = services;
  const health = new KeyHealth(services);
  const dailyCheck = createDailyKeyCheck(services, health);
  const accessOf = async (teamId: string) => {
    const { stored, ...access } = await resolver.of(teamId);
    const onKeyChecked = (isAccepted: boolean) => stored && health.noteVerdict(stored, isAccepted);
    return { ...access, onKeyChecked };
  };
  return {
    queryClientFor: (teamId, options) => query.forWorkspace(() => accessOf(teamId), options),
    connectionOf: (person) => new Connection(services, person),
    ...dailyCheck,
    /** Waits until pending verdicts are stored. */
    stop: async () => {
      await dailyCheck.stop();
      await health.stop();
    },
  };
}

const dayMs = 24 * 60 * 60_000;
/** Spreads keys that were stored in the same hour. */
const spreadMs = 4 * 60 * 60_000;
const betweenRoundsMs = 15 * 60_000;
const pageSize = 100;
const concurrencyMax = 4;

/** Checks every stored key once a day, spread over hours, a few at a time. */
function createDailyKeyCheck({ store, runtime }: ConnectionServices, health: KeyHealth): KeyChecks {
  const round = async (stopping?: AbortSignal) => {
    try {
      for await (const due of dueIn(store, runtime.clock)) {
        if (stopping?.aborted) return;
        await Promise.all(due.map((credential) => health.check(credential)));
      }
    } catch (err) {
      runtime.log.error({ err }, 'API keys of workspaces could not be checked');
    }
  };
  return { round, ...repeat(round, betweenRoundsMs, false) };
}

/** Due times come from the store, so that restarts and other processes neither skip nor repeat a check. */
async function* dueIn({ credentials }: Store, clock: Clock): AsyncGenerator<readonly Credential[]> {
  for (let after = ''; ; ) {
    const page = await credentials.page(after, pageSize);
    const due = page.filter((credential) => clock() >= dueAt(credential));
    for (let at = 0; at < due.length; at += concurrencyMax) yield due.slice(at, at + concurrencyMax);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.teamId;
  }
}

function dueAt({ teamId, checkedAt, connectedAt }: Credential): number {
  const share = Number.parseInt(hash('sha256', teamId).slice(0, 8), 16) / 0xffff_ffff;
  return (checkedAt ?? connectedAt) + dayMs - Math.round(share * spreadMs);
}
