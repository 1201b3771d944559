/** Activity: how many executions succeeded and failed on each day of a range. */
import { AppError } from '../../../shared/errors.ts';
import type { DayCounts } from '../../records/port.ts';
import { dayMs, startOfPeriod } from '../../records/reads/periods.ts';
import type { ServiceContext } from './context.ts';
import { type Optional, type RangeInput, readOptionalText, readRange } from './input.ts';

export type ActivityInput = RangeInput & { readonly workflowUUID?: Optional<string> };

export type Bucket = {
  readonly from: number;
  readonly to: number;
  readonly successCount: number;
  readonly failureCount: number;
};

const rangeDaysDefault = 7;
const rangeDaysMax = 366;

/** @throws AppError `usage` */
export function readActivityInput(input: ActivityInput, now: number) {
  const to = input.to ?? now;
  const from = input.from ?? to - rangeDaysDefault * dayMs;
  const span = readRange({ from, to });
  if (to - from > rangeDaysMax * dayMs) {
    throw new AppError('usage', `from and to must be at most ${rangeDaysMax} days apart`);
  }
  return { from, to, span, workflowUuid: readOptionalText('workflowUUID', input.workflowUUID) };
}

async function workflowActivity(_: unknown, { input }: { readonly input: ActivityInput }, context: ServiceContext) {
  const { organizationId } = context.caller;
  const { from, to, span, workflowUuid } = readActivityInput(input, context.clock());
  const counts = await context.records.countsByDay(organizationId, workflowUuid, span);
  // Counts prove that the workflow exists; without counts it has to be looked up.
  const isThere = counts.length > 0 || workflowUuid === null;
  if (!isThere && !(await context.records.hasWorkflow(organizationId, workflowUuid))) return { data: [] };
  return { data: bucketsOf(from, to, counts) };
}

/**
 * Splits a range into whole UTC days; the first and the last are cut to the range.
 * @param to inclusive: an execution that started at `to` is in the last bucket, even if a new day begins then
 */
export function bucketsOf(from: number, to: number, counts: readonly DayCounts[]): readonly Bucket[] {
  const byDay = new Map(counts.map((day) => [day.day, day]));
  const buckets: Bucket[] = [];
  for (let day = startOfPeriod(from, dayMs); day < to || buckets.length === 0; day += dayMs) {
    const end = Math.min(day + dayMs, to);
    const counted = [byDay.get(day), end === to && end === day + dayMs ? byDay.get(end) : undefined];
    buckets.push({
      from: Math.max(day, from),
      to: end,
      successCount: counted.reduce((sum, count) => sum + (count?.success ?? 0), 0),
      failureCount: counted.reduce((sum, count) => sum + (count?.failure ?? 0), 0),
    });
  }
  return buckets;
}

export const activityResolvers = { Query: { workflowActivity } } as const;
