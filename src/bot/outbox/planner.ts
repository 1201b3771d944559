/** Plans what is due, a few at once: what is about to be sent does not wait for it. */
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import type { PlannedSlots } from '../store/outbox/slot.ts';
import type { Ledger } from '../store/repositories/ledger.ts';
import { createSpacing, planSlots } from './planning.ts';
import type { AtStep } from './steps.ts';
import type { DigestTiming } from './timing.ts';

export type PlannerDeps = {
  readonly ledger: Pick<Ledger, 'plan'>;
  readonly timing: DigestTiming;
  readonly log: Logger;
  readonly at: AtStep;
  readonly measure?: Measure;
};

type DueOf = Parameters<Parameters<Ledger['plan']>[1]>;

const plannedAtOnce = 100;

/** @returns plans some of what is due, and says how many; it rejects where the store does not answer */
export function createPlanner(deps: PlannerDeps): () => Promise<number> {
  const { measure = measureNothing } = deps;
  const newSpacing = () => createSpacing(deps.timing.paceMs);
  let space = newSpacing();
  return async () => {
    deps.at('before plan');
    let missed = 0;
    const planning = deps.ledger.plan(plannedAtOnce, (...due) => {
      const [subscription] = due;
      const { slots, next } = plannedOr(deps, due);
      missed += slots.filter(({ state }) => state === 'missed').length;
      return { slots: slots.map((slot) => space(subscription.teamId, slot)), next };
    });
    const planned = await planning.catch((err: unknown) => unreadable(deps, err));
    if (planned < plannedAtOnce) space = newSpacing();
    // Nobody claims these: they have ended as they begin.
    for (; missed > 0; missed -= 1) measure({ kind: 'digest', outcome: 'missed', latenessMs: null });
    deps.at('after plan');
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
function plannedOr({ timing, log }: PlannerDeps, [subscription, now, toldTo]: DueOf): PlannedSlots {
  try {
    return planSlots(subscription, now, timing, toldTo);
  } catch (err) {
    const { teamId, id, nextDue } = subscription;
    log.error({ teamId, subscriptionId: id, err }, 'a subscription cannot be planned');
    return { slots: [], next: { slot: nextDue?.slot ?? '', at: now + timing.catchUpMs, shift: 'none' } };
  }
}
