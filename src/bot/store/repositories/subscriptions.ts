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
import { type Dialect, inTransaction } from '../dialect.ts';
import { isStarted } from '../outbox/rows.ts';
import type { SubscriptionTable } from '../tables/delivery-tables.ts';
import type { Tables } from '../tables/tables.ts';

/** Short, because people type the id. */
const idBytes = 4;
const noPause = { pause_reason: null, paused_at: null, paused_by: null };

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
      const created = { team_id: teamId, id, created_by: by.userId, created_at: by.at };
      const nothingYet = { ...noPause, notified_at: null, removed_at: null };
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
        const future = existing(transaction, teamId, id).where('next_at', '>', dialect.now());
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
      inTransaction(db, (transaction) => setPause(transaction, dialect, teamId, id, pause, channelId)),
    /**
     * @param next the due time after a person's pause; any other pause does not change the due time
     * @returns true if it was paused
     */
    async resume(teamId: string, id: string, next: Due) {
      return inTransaction(db, async (transaction) => {
        const isResumed = await one(
          existing(transaction, teamId, id).where('pause_reason', 'is not', null).set(noPause),
        );
        await existing(transaction, teamId, id).where('next_at', 'is', null).set(dueColumns(next)).execute();
        return isResumed;
      });
    },
    /** Ends a pause only if it has this reason; the due time stays. @returns true if it was paused for this reason */
    endPause: (teamId: string, id: string, reason: string) =>
      one(existing(db, teamId, id).where('pause_reason', '=', reason).set(noPause)),
    /** Cancels like a person's pause; posted occurrences stay in the outbox. @returns true if there was one */
    async remove(teamId: string, id: string) {
      return inTransaction(db, async (transaction) => {
        const removed = { removed_at: dialect.now(), ...dueColumns(null) };
        const isRemoved = await one(existing(transaction, teamId, id).set(removed));
        if (isRemoved) await cancelUnsent(transaction, dialect, teamId, id, 'removed');
        return isRemoved;
      });
    },
    /** Records that the owner was notified of a problem. @param at epoch milliseconds */
    async recordNotification(teamId: string, id: string, at: number) {
      await existing(db, teamId, id).set({ notified_at: at }).execute();
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function existing(db: Kysely<Tables>, teamId: string, id: string) {
  return db
    .updateTable('subscription')
    .where((is) => is.and({ team_id: teamId, id }))
    .where('removed_at', 'is', null);
}

function unlessByPerson(update: ReturnType<typeof existing>) {
  return update.where((is) => is.or([is('pause_reason', 'is', null), is('pause_reason', '<>', pausedByPerson)]));
}

async function one(update: ReturnType<typeof existing>): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}

async function find(db: Kysely<Tables>, teamId: string, id: string): Promise<Subscription | undefined> {
  const one = db
    .selectFrom('subscription')
    .selectAll()
    .where((is) => is.and({ team_id: teamId, id }));
  const row = await one.where('removed_at', 'is', null).executeTakeFirst();
  return row && subscriptionOf(row);
}

async function list(db: Kysely<Tables>, teamId: string): Promise<readonly Subscription[]> {
  const all = db.selectFrom('subscription').selectAll().where('team_id', '=', teamId);
  const ordered = all.where('removed_at', 'is', null).orderBy('channel_id').orderBy('time').orderBy('id');
  return Object.freeze((await ordered.execute()).map(subscriptionOf));
}

async function setPause(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  teamId: string,
  id: string,
  pause: Pause,
  channelId: string | undefined,
): Promise<boolean> {
  const columns = { pause_reason: pause.reason, paused_at: pause.at, paused_by: pause.by };
  if (pause.reason === pausedByPerson) {
    const isNew = await one(unlessByPerson(existing(transaction, teamId, id)).set({ ...columns, ...dueColumns(null) }));
    if (isNew) await cancelUnsent(transaction, dialect, teamId, id, 'paused');
    return isNew;
  }
  const all = existing(transaction, teamId, id);
  const there = channelId === undefined ? all : all.where('channel_id', '=', channelId);
  const isNew = await one(there.where('pause_reason', 'is', null).set(columns));
  // A pause for another problem gets the new reason, but keeps its start.
  if (!isNew) await unlessByPerson(there).set({ pause_reason: pause.reason }).execute();
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
  const due = { team_id: teamId, kind: 'digest', subject: subscriptionId, state: 'due' };
  const all = transaction
    .selectFrom('delivery')
    .select('occurrence_id')
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
    channel_id: channelId,
    time: schedule.time,
    weekdays: schedule.weekdays.join(),
    zone: schedule.zone,
    workflows: JSON.stringify(workflows),
    has_all_clear: Number(hasAllClear),
    on_uncertain: onUncertain,
  };
}

function dueColumns(due: Due | null) {
  return { next_at: due?.at ?? null, next_local_time: due?.localTime ?? null, next_shift: due?.shift ?? null };
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
    teamId: row.team_id,
    id: row.id,
    channelId: row.channel_id,
    schedule: { time: row.time, weekdays: row.weekdays.split(',').map(Number), zone: row.zone },
    workflows,
    hasAllClear: row.has_all_clear === 1,
    onUncertain: row.on_uncertain === 'repeat' ? 'repeat' : 'hold',
    createdBy: row.created_by,
    createdAt: row.created_at,
    pause: row.pause_reason === null ? null : { reason: row.pause_reason, at: row.paused_at ?? 0, by: row.paused_by },
    nextDue: dueOf(row),
    notifiedAt: row.notified_at,
  });
}

function dueOf({ next_at: at, next_local_time: localTime, next_shift: shift }: Row): Due | null {
  if (at === null || localTime === null) return null;
  return { localTime, at, shift: shift === 'skipped' || shift === 'repeated' ? shift : 'none' };
}
