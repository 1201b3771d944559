/** A store whose clock a test moves, and planned occurrences. */
import { onTestFinished } from 'vitest';
import { type Due, dueBefore, duesBetween, nextDue } from '../../../src/bot/domain/schedule.ts';
import type { Subscription, SubscriptionPlan } from '../../../src/bot/domain/subscription.ts';
import type {
  ClaimedOccurrence,
  ClaimOptions,
  NewOccurrence,
  OpenDelivery,
  PlannedOccurrences,
} from '../../../src/bot/store/outbox/delivery.ts';
import { threadKey } from '../../../src/bot/store/outbox/open-delivery.ts';
import { openStore, type Store } from '../../../src/bot/store/store.ts';
import { testKeys } from './store.ts';

export const plan: SubscriptionPlan = {
  channelId: 'C1',
  schedule: { time: '09:00', weekdays: [1, 2, 3, 4, 5, 6, 7], zone: 'UTC' },
  workflows: { kind: 'all' },
  hasAllClear: true,
  onUncertain: 'hold',
};

export const dayMs = 86_400_000;
export const leaseMs = 30_000;
/** Just before the first occurrence of `plan`. */
export const start = Date.parse('2026-11-22T08:59:59Z');
export const due: Due = { localTime: '2026-11-22T09:00', at: Date.parse('2026-11-22T09:00:00Z'), shift: 'none' };

export type OutboxTest = ReturnType<typeof over> & { readonly store: Store; readonly clock: () => number };

/** Closed when the test ends. */
export async function openOutbox(url: string): Promise<OutboxTest> {
  let time = start;
  const clock = () => time;
  const store = await openStore(url, { keys: testKeys(), clock });
  onTestFinished(() => store.close());
  const pass = (ms: number) => {
    time += ms;
  };
  return { store, clock, ...over(store, pass) };
}

function over({ subscriptions, outbox }: Store, pass: (ms: number) => void) {
  const subscribe = (teamId = 'T1', change: Partial<SubscriptionPlan> = {}, next = due) =>
    subscriptions.create(teamId, { ...plan, ...change }, { userId: 'U1', at: start }, next);
  const claim = (options: Partial<ClaimOptions> = {}) =>
    outbox.claim({ max: 100, leaseMs, perTeam: 100, exceptTeams: [], ...options });
  const planDue = (max = 1000) => outbox.plan(max, latestOf);
  /** @returns the first occurrence of a new subscription, claimed, with a root and one reply to be sent */
  const begin = async (change: Partial<SubscriptionPlan> = {}): Promise<ClaimedOccurrence> => {
    await subscribe('T1', change);
    pass(1000);
    await planDue();
    const occurrence = only(await claim());
    await occurrence.lease.savePayload('payload', messagesOf('root', 'cause-1'));
    return occurrence;
  };
  return { subscriptions, outbox, pass, subscribe, claim, planDue, begin };
}

/** The latest occurrence is due; those before it were missed. */
export function latestOf({ schedule, nextDue: first }: Subscription, now: number): PlannedOccurrences {
  if (!first) throw new Error('Nothing is due of a subscription that is paused.');
  const dues = [first, ...duesBetween(schedule, first, now, 1000)];
  const last = dues.at(-1) ?? first;
  const occurrences = dues.map(
    (one): NewOccurrence => ({
      occurrenceId: one.localTime,
      dueAt: one.at,
      window: { from: dueBefore(schedule, one.localTime).at, to: one.at },
      state: one === last ? 'due' : 'missed',
      isLate: now - one.at > 600_000,
    }),
  );
  return { occurrences, next: nextDue(schedule, last) };
}

export function messagesOf(...names: readonly string[]) {
  return names.map((name) => ({ name, opaqueId: `id of ${name}` }));
}

/** @throws Error if there is none, or more than one */
export function only<One>(all: readonly One[]): One {
  const [one, ...rest] = all;
  if (one === undefined || rest.length > 0) throw new Error(`There are ${all.length}, not one.`);
  return one;
}

export const someThread = { teamId: 'T1', channelId: 'C1', subject: 'e1' };

export function openThread({ outbox }: Pick<Store, 'outbox'>, place: typeof someThread, forMs = leaseMs) {
  return outbox.open(threadKey(place, place.subject), { channelId: place.channelId, leaseMs: forMs });
}

/** @returns the claimed thread, with these messages posted @throws Error if another process has the lease */
export async function beginThread(
  store: Pick<Store, 'outbox'>,
  { key = someThread, forMs = leaseMs, posted = {} }: ThreadToBegin = {},
): Promise<OpenDelivery> {
  const claim = await openThread(store, key, forMs);
  if (claim.kind !== 'mine') throw new Error(`The thread is ${claim.kind}.`);
  await postIn(claim.delivery, posted);
  return claim.delivery;
}

type ThreadToBegin = {
  readonly key?: typeof someThread;
  readonly forMs?: number;
  /** Names and timestamps. */
  readonly posted?: Readonly<Record<string, string>>;
};

export async function postIn({ lease }: OpenDelivery, posted: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(posted);
  if (names.length > 0) await lease.addMessages(messagesOf(...names), 0);
  for (const [name, ts] of Object.entries(posted)) {
    await lease.recordIntent(name, 0);
    await lease.recordOutcome(name, { kind: 'sent', ts, contentHash: `hash of ${ts}` });
  }
}

/** A subscription with an occurrence whose root has an intent. */
export async function fillDigests({ subscriptions, outbox }: Store, teamId: string): Promise<void> {
  await subscriptions.create(teamId, plan, { userId: 'U1', at: 1 }, { ...due, at: 1000 });
  await outbox.plan(1, ({ nextDue: first }) => {
    const occurrence = {
      occurrenceId: first?.localTime ?? '',
      dueAt: 1000,
      window: { from: 0, to: 1000 },
      state: 'due',
      isLate: true,
    } as const;
    return { occurrences: [occurrence], next: { ...due, at: Date.parse('2100-01-01T00:00Z') } };
  });
  const claimed = only(await outbox.claim({ max: 1, leaseMs, perTeam: 1, exceptTeams: [] }));
  await claimed.lease.savePayload('payload', messagesOf('root'));
  await claimed.lease.recordIntent('root', 10_000);
}
