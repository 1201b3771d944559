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
import type { Dialect } from '../dialect.ts';
import { isStarted } from '../outbox/rows.ts';
import type { SubscriptionTable } from '../tables/digest-tables.ts';
import type { Tables } from '../tables/tables.ts';

export type Subscriptions = {
  /** @param by Slack's id of the person, and when, epoch milliseconds @param next what it is due at first */
  create(
    teamId: string,
    plan: SubscriptionPlan,
    by: { readonly userId: string; readonly at: number },
    next: Due,
  ): Promise<Subscription>;
  /**
   * A paused one stays so, and slots that are due already keep their channel. @param next counts once what is due already
   * was planned @returns undefined where there is none
   */
  change(teamId: string, id: string, plan: SubscriptionPlan, next: Due): Promise<Subscription | undefined>;
  find(teamId: string, id: string): Promise<Subscription | undefined>;
  /** By channel, then time. */
  list(teamId: string): Promise<readonly Subscription[]>;
  /**
   * A person's pause cancels what is due and of which nothing was sent, and wins over any other.
   * @param channelId for a trouble with that channel: nothing changes where it posts elsewhere by now
   * @returns whether it was not paused before; for a person's, not by a person
   */
  pause(teamId: string, id: string, pause: Pause, channelId?: string): Promise<boolean>;
  /** @param next counts where a person had paused it: after any other pause it goes on as planned @returns whether it was paused */
  resume(teamId: string, id: string, next: Due): Promise<boolean>;
  /** Ends a pause for this reason and no other; it goes on as planned. @returns whether it was paused for it */
  endPause(teamId: string, id: string, reason: string): Promise<boolean>;
  /** Cancels as a pause does; what was posted stays in the outbox. @returns whether there was one */
  remove(teamId: string, id: string): Promise<boolean>;
  /** Its owner was told of a problem. @param at epoch milliseconds */
  recordNotification(teamId: string, id: string, at: number): Promise<void>;
};

/** A person may have to type it, so it is short. */
const idBytes = 4;
const noPause = { pause_reason: null, paused_at: null, paused_by: null };

export function createSubscriptions(db: Kysely<Tables>, dialect: Dialect): Subscriptions {
  return {
    async create(teamId, plan, by, next) {
      const id = randomBytes(idBytes).toString('hex');
      const made = {
        team_id: teamId,
        id,
        created_by: by.userId,
        created_at: by.at,
        notified_at: null,
        removed_at: null,
      };
      const row = { ...made, ...planColumns(plan), ...noPause, ...dueColumns(next) };
      await db.insertInto('subscription').values(row).execute();
      return subscriptionOf(row);
    },
    async change(teamId, id, plan, next) {
      return db.transaction().execute(async (step) => {
        await standing(step, teamId, id).set(planColumns(plan)).execute();
        const coming = standing(step, teamId, id).where('next_at', '>', dialect.now());
        await coming.set(dueColumns(next)).execute();
        return find(step, teamId, id);
      });
    },
    find: (teamId, id) => find(db, teamId, id),
    async list(teamId) {
      const all = db.selectFrom('subscription').selectAll().where('team_id', '=', teamId);
      const ordered = all.where('removed_at', 'is', null).orderBy('channel_id').orderBy('time').orderBy('id');
      return Object.freeze((await ordered.execute()).map(subscriptionOf));
    },
    pause: (teamId, id, pause, channelId) =>
      db.transaction().execute((step) => setPause(step, dialect, teamId, id, pause, channelId)),
    async resume(teamId, id, next) {
      return db.transaction().execute(async (step) => {
        const isResumed = await one(standing(step, teamId, id).where('pause_reason', 'is not', null).set(noPause));
        await standing(step, teamId, id).where('next_at', 'is', null).set(dueColumns(next)).execute();
        return isResumed;
      });
    },
    endPause: (teamId, id, reason) => one(standing(db, teamId, id).where('pause_reason', '=', reason).set(noPause)),
    async remove(teamId, id) {
      return db.transaction().execute(async (step) => {
        const removed = { removed_at: dialect.now(), ...dueColumns(null) };
        const isRemoved = await one(standing(step, teamId, id).set(removed));
        if (isRemoved) await cancelUnsent(step, dialect, teamId, id, 'removed');
        return isRemoved;
      });
    },
    async recordNotification(teamId, id, at) {
      await standing(db, teamId, id).set({ notified_at: at }).execute();
    },
  };
}

function standing(db: Kysely<Tables>, teamId: string, id: string) {
  return db
    .updateTable('subscription')
    .where((is) => is.and({ team_id: teamId, id }))
    .where('removed_at', 'is', null);
}

function unlessByPerson(update: ReturnType<typeof standing>) {
  return update.where((is) => is.or([is('pause_reason', 'is', null), is('pause_reason', '<>', pausedByPerson)]));
}

async function one(update: ReturnType<typeof standing>): Promise<boolean> {
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

async function setPause(
  step: Transaction<Tables>,
  dialect: Dialect,
  teamId: string,
  id: string,
  pause: Pause,
  channelId: string | undefined,
): Promise<boolean> {
  const columns = { pause_reason: pause.reason, paused_at: pause.at, paused_by: pause.by };
  if (pause.reason === pausedByPerson) {
    const isNew = await one(unlessByPerson(standing(step, teamId, id)).set({ ...columns, ...dueColumns(null) }));
    if (isNew) await cancelUnsent(step, dialect, teamId, id, 'paused');
    return isNew;
  }
  const all = standing(step, teamId, id);
  const there = channelId === undefined ? all : all.where('channel_id', '=', channelId);
  const isNew = await one(there.where('pause_reason', 'is', null).set(columns));
  // Of an older problem it is said what is wrong now, and since when it has been so.
  if (!isNew) await unlessByPerson(there).set({ pause_reason: pause.reason }).execute();
  return isNew;
}

/** What was begun goes on: it may stand in the channel already, and somebody has to know. */
async function cancelUnsent(
  step: Transaction<Tables>,
  dialect: Dialect,
  teamId: string,
  subscriptionId: string,
  error: 'removed' | 'paused',
): Promise<void> {
  const due = { team_id: teamId, subscription_id: subscriptionId, state: 'due' };
  const all = step
    .selectFrom('occurrence')
    .select('occurrence_id')
    .where((is) => is.and(due));
  // Held first, by a statement of its own: what another begins meanwhile waits, and what it has begun the next one sees.
  await all.modifyEnd(dialect.forUpdate).execute();
  await step
    .updateTable('occurrence')
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
  if (!workflows) throw new AppError('internal', 'This subscription has a form that this version does not know.');
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
    pause: pauseOf(row),
    nextDue: dueOf(row),
    notifiedAt: row.notified_at,
  });
}

function pauseOf({ pause_reason: reason, paused_at: at, paused_by: by }: Row): Pause | null {
  return reason === null ? null : { reason, at: at ?? 0, by };
}

function dueOf({ next_at: at, next_local_time: localTime, next_shift: shift }: Row): Due | null {
  if (at === null || localTime === null) return null;
  return { localTime, at, shift: shift === 'skipped' || shift === 'repeated' ? shift : 'none' };
}
