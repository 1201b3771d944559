/** Plans what is due, a few at once: what is about to be sent does not wait for it. */
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { PlannedOccurrences } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { OnFailpoint } from './failpoints.ts';
import { createSpacing, planOccurrences } from './plan.ts';
import type { DigestTiming } from './timing.ts';

export type PlannerDeps = {
  readonly outbox: Pick<Outbox, 'plan'>;
  readonly timing: DigestTiming;
  readonly log: Logger;
  readonly failpoint: OnFailpoint;
  readonly measure?: Measure;
};

type DueOf = Parameters<Parameters<Outbox['plan']>[1]>;

const plannedAtOnce = 100;

/** @returns plans some of what is due, and says how many; it rejects where the store does not answer */
export function createPlanner(deps: PlannerDeps): () => Promise<number> {
  const { measure = measureNothing } = deps;
  const newSpacing = () => createSpacing(deps.timing.postIntervalMs);
  let space = newSpacing();
  return async () => {
    deps.failpoint('before plan');
    let missed = 0;
    const planning = deps.outbox.plan(plannedAtOnce, (...due) => {
      const [subscription] = due;
      const { occurrences, next } = planOrPostpone(deps, due);
      missed += occurrences.filter(({ state }) => state === 'missed').length;
      return { occurrences: occurrences.map((occurrence) => space(subscription.teamId, occurrence)), next };
    });
    const planned = await planning.catch((err: unknown) => unreadable(deps, err));
    if (planned < plannedAtOnce) space = newSpacing();
    // Nobody claims these: they have ended as they begin.
    for (; missed > 0; missed -= 1) measure({ kind: 'digest', outcome: 'missed', latenessMs: null });
    deps.failpoint('after plan');
    return planned;
  };
}

/** One in a form that only a newer version knows is left to that; the others were planned. */
function unreadable({ log }: PlannerDeps, err: unknown): number {
  if (err instanceof AppError && err.code === 'unavailable') throw err;
  log.error({ err }, 'a subscription cannot be read');
  return 0;
}

/** One that cannot be planned is looked at again later, and keeps nobody else waiting. */
function planOrPostpone({ timing, log }: PlannerDeps, [subscription, now, toldTo]: DueOf): PlannedOccurrences {
  try {
    return planOccurrences(subscription, now, timing, toldTo);
  } catch (err) {
    const { teamId, id, nextDue } = subscription;
    log.error({ teamId, subscriptionId: id, err }, 'a subscription cannot be planned');
    return {
      occurrences: [],
      next: { localTime: nextDue?.localTime ?? '', at: now + timing.catchUpMs, shift: 'none' },
    };
  }
}
