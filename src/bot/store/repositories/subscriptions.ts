/** Repository of subscriptions: which channel gets which digest, and when each is due next. */

import { randomBytes } from 'node:crypto';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { freezeDeep } from '../../../shared/cache/memoize.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Due } from '../../domain/schedule.ts';
import {
  type Pause,
  pausedByPerson,
  readChosenWorkflows,
  type Subscription,
  type SubscriptionPlan,
} from '../../domain/subscription.ts';
import { changesOne, type Dialect, inTransaction } from '../dialect.ts';
import { isStarted } from '../outbox/rows.ts';
import type { SubscriptionTable, Tables } from '../tables.ts';

/** Short, because people type the id. */
const idBytes = 4;
const noPause = { pauseReason: null, pausedAt: null, pausedBy: null };

export function createSubscriptions(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** @param by Slack's id of the person, and the time, epoch milliseconds @param next the first due time */
    async create(
      teamId: string,
      plan: SubscriptionPlan,
      by: { readonly userId: string; readonly at: number },
      next: Due,
    ) {
      const id = randomBytes(idBytes).toString('hex');
      const created = { teamId, id, createdBy: by.userId, createdAt: by.at };
      const nothingYet = { ...noPause, notifiedAt: null, removedAt: null };
      const row = { ...created, ...planColumns(plan), ...nothingYet, ...dueColumns(next) };
      await db.insertInto('subscription').values(row).execute();
      return subscriptionOf(row);
    },
    /**
     * A paused subscription stays paused, and due occurrences keep their channel.
     * @param next ignored while an earlier due time is not planned @returns undefined if there is no such subscription
     */
    async change(teamId: string, id: string, plan: SubscriptionPlan, next: Due) {
      return inTransaction(db, async (transaction) => {
        await existing(transaction, teamId, id).set(planColumns(plan)).execute();
        const future = existing(transaction, teamId, id).where('nextAt', '>', dialect.now());
        await future.set(dueColumns(next)).execute();
        return find(transaction, teamId, id);
      });
    },
    find: (teamId: string, id: string) => find(db, teamId, id),
    /** Lists subscriptions by channel, then by time. */
    list: (teamId: string) => list(db, teamId),
    /**
     * A person's pause replaces any other, and cancels due occurrences without a sent message.
     * @param channelId for a problem with that channel: nothing changes if the subscription has another channel by now
     * @returns true if it was not paused before; for a person's pause, true if no person had paused it
     */
    pause: (teamId: string, id: string, pause: Pause, channelId?: string) =>
      inTransaction(db, (transaction) => setPause(transaction, dialect, { teamId, id }, pause, channelId)),
    /** Ends a pause only if it has this reason; the due time stays. @returns true if it was paused for this reason */
    endPause: (teamId: string, id: string, reason: string) =>
      changesOne(existing(db, teamId, id).where('pauseReason', '=', reason).set(noPause)),
    /**
     * @param next the due time after a person's pause; any other pause does not change the due time
     * @returns true if it was paused
     */
    async resume(teamId: string, id: string, next: Due) {
      return inTransaction(db, async (transaction) => {
        const isResumed = await changesOne(
          existing(transaction, teamId, id).where('pauseReason', 'is not', null).set(noPause),
        );
        await existing(transaction, teamId, id).where('nextAt', 'is', null).set(dueColumns(next)).execute();
        return isResumed;
      });
    },
    /** Cancels like a person's pause; posted occurrences stay in the outbox. @returns true if there was one */
    async remove(teamId: string, id: string) {
      return inTransaction(db, async (transaction) => {
        const removed = { removedAt: dialect.now(), ...dueColumns(null) };
        const isRemoved = await changesOne(existing(transaction, teamId, id).set(removed));
        if (isRemoved) await cancelUnsent(transaction, dialect, teamId, id, 'removed');
        return isRemoved;
      });
    },
    /** Records that the owner was notified of a problem. @param at epoch milliseconds */
    async recordNotification(teamId: string, id: string, at: number) {
      await existing(db, teamId, id).set({ notifiedAt: at }).execute();
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function existing(db: Kysely<Tables>, teamId: string, id: string) {
  return db
    .updateTable('subscription')
    .where((is) => is.and({ teamId, id }))
    .where('removedAt', 'is', null);
}

function unlessByPerson(update: ReturnType<typeof existing>) {
  return update.where((is) => is.or([is('pauseReason', 'is', null), is('pauseReason', '<>', pausedByPerson)]));
}

async function find(db: Kysely<Tables>, teamId: string, id: string): Promise<Subscription | undefined> {
  const one = db
    .selectFrom('subscription')
    .selectAll()
    .where((is) => is.and({ teamId, id }));
  const row = await one.where('removedAt', 'is', null).executeTakeFirst();
  return row && subscriptionOf(row);
}

async function list(db: Kysely<Tables>, teamId: string): Promise<readonly Subscription[]> {
  const all = db.selectFrom('subscription').selectAll().where('teamId', '=', teamId);
  const ordered = all.where('removedAt', 'is', null).orderBy('channelId').orderBy('time').orderBy('id');
  return (await ordered.execute()).map(subscriptionOf);
}

async function setPause(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  { teamId, id }: { readonly teamId: string; readonly id: string },
  pause: Pause,
  channelId: string | undefined,
): Promise<boolean> {
  const columns = { pauseReason: pause.reason, pausedAt: pause.at, pausedBy: pause.by };
  const all = existing(transaction, teamId, id);
  if (pause.reason === pausedByPerson) {
    const isNew = await changesOne(unlessByPerson(all).set({ ...columns, ...dueColumns(null) }));
    if (isNew) await cancelUnsent(transaction, dialect, teamId, id, 'paused');
    return isNew;
  }
  const there = channelId === undefined ? all : all.where('channelId', '=', channelId);
  const isNew = await changesOne(there.where('pauseReason', 'is', null).set(columns));
  // A pause for another problem gets the new reason, but keeps its start.
  if (!isNew) await unlessByPerson(there).set({ pauseReason: pause.reason }).execute();
  return isNew;
}

/**
 * Cancels occurrences that are not started. A started one is finished: it may be posted already, and its outcome must
 * become known.
 */
async function cancelUnsent(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  teamId: string,
  subscriptionId: string,
  error: 'removed' | 'paused',
): Promise<void> {
  const due = { teamId, kind: 'digest', subject: subscriptionId, state: 'due' };
  const all = transaction
    .selectFrom('delivery')
    .select('occurrenceId')
    .where((is) => is.and(due));
  // Locks the rows first: another process cannot start one meanwhile, and the update sees those that were started before.
  await all.modifyEnd(dialect.forUpdate).execute();
  await transaction
    .updateTable('delivery')
    .where((is) => is.and(due))
    .where(sql<boolean>`not ${isStarted}`)
    .set((is) => ({ state: 'cancelled', error, payload: null, fence: is('fence', '+', 1) }))
    .execute();
}

type Row = Selectable<SubscriptionTable>;

function planColumns({ channelId, schedule, workflows, hasAllClear, onUncertain }: SubscriptionPlan) {
  return {
    channelId,
    time: schedule.time,
    weekdays: schedule.weekdays.join(),
    zone: schedule.zone,
    workflows: JSON.stringify(workflows),
    hasAllClear: Number(hasAllClear),
    onUncertain,
  };
}

function dueColumns(due: Due | null) {
  return { nextAt: due?.at ?? null, nextLocalTime: due?.localTime ?? null, nextShift: due?.shift ?? null };
}

/** @throws AppError `internal` for workflows in a form that this version does not know */
export function subscriptionOf(row: Row): Subscription {
  const workflows = readChosenWorkflows(JSON.parse(row.workflows));
  if (!workflows) {
    throw new AppError('internal', 'This version of the bot cannot read this digest.', {
      hint: 'A newer version wrote it. Ask the person who runs this bot to start that version.',
    });
  }
  return freezeDeep({
    teamId: row.teamId,
    id: row.id,
    channelId: row.channelId,
    schedule: { time: row.time, weekdays: row.weekdays.split(',').map(Number), zone: row.zone },
    workflows,
    hasAllClear: row.hasAllClear === 1,
    onUncertain: row.onUncertain === 'repeat' ? 'repeat' : 'hold',
    createdBy: row.createdBy,
    createdAt: row.createdAt,
    pause: row.pauseReason === null ? null : { reason: row.pauseReason, at: row.pausedAt ?? 0, by: row.pausedBy },
    nextDue: dueOf(row),
    notifiedAt: row.notifiedAt,
  });
}

function dueOf({ nextAt: at, nextLocalTime: localTime, nextShift: shift }: Row): Due | null {
  if (at === null || localTime === null) return null;
  return { localTime, at, shift: shift === 'skipped' || shift === 'repeated' ? shift : 'none' };
}
