/** Subscriptions as the table has them. */
import type { Selectable } from 'kysely';
import { freezeDeep } from '../../../shared/cache/memoize.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Due } from '../../domain/schedule.ts';
import {
  type Pause,
  readChosenWorkflows,
  type Subscription,
  type SubscriptionPlan,
} from '../../domain/subscription.ts';
import type { SubscriptionTable } from '../tables/digest-tables.ts';

type Row = Selectable<SubscriptionTable>;

export function planColumns({ channelId, schedule, workflows, hasAllClear, onUncertain }: SubscriptionPlan) {
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

export function dueColumns(due: Due | null) {
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
