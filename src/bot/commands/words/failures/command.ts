/** `failures`: failures grouped by cause. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { type Window, windowBefore } from '../../../domain/window.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { queryHealth } from '../../../health/workflow-health.ts';
import { groupByCause, readCauses, withRecurrence } from '../../../insight/causes/cause.ts';
import type { Health } from '../../../insight/health/health.ts';
import { nullOnFailure } from '../../../query/null-on-failure.ts';
import type { Answered, FailureList } from '../../../query/results.ts';
import { windowFlag, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope, type Scope } from '../../lookup/find-workflow.ts';
import { failuresMessage } from './view.ts';

/** Enough to recognise causes; a window with more is reported as incomplete. */
const beforeMax = 1000;

export const failures = defineCommand({
  name: 'failures',
  group: 'investigate',
  summary: 'what failed, grouped by cause: how often, since when, whose fault, new or recurring',
  usage: '[name] [window]',
  examples: ['failures payments', 'failures', 'failures settlement 7d'],
  arguments: z.strictObject({ text: workflowText.optional(), window: windowFlag }),
  run: async ({ text, window: flag }, context) => {
    const scope = await readScope(
      { text, window: flag, usual: lastDay, lineFor: (uuid) => `failures ${uuid}` },
      context,
    );
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, window, now, filter } = scope;
    const [workflow, health, list, before, activity] = await Promise.all([
      scope.workflow(),
      queryHealthOf(scope),
      ask.failures(filter),
      nullOnFailure(failuresBefore(scope), 'the failures of the previous window'),
      nullOnFailure(ask.activity(filter), 'the number of runs'),
    ]);
    await readCauses([...list.data.executions, ...(before.data?.executions ?? [])]);
    return ephemeral(
      failuresMessage({
        workflow,
        health: health.data && withStreakOf(health.data, list.data, window),
        causes: withRecurrence(groupByCause(list.data.executions), before.data),
        isCut: list.data.isCut,
        isWhole: !list.data.isCut && list.provenance.missing.length === 0,
        days: activity.data,
        window,
        provenance: combinedProvenance(
          list.provenance,
          ...[health, before, activity].map(({ provenance }) => provenance),
        ),
        slashCommand: context.slashCommand,
        now,
      }),
    );
  },
});

/** Null for all workflows, for a past window, and if it is not known. */
async function queryHealthOf({ ask, filter, window, now }: Scope): Promise<Answered<Health | null>> {
  const nothing = { data: null, provenance: { source: 'live', asOf: now, missing: [] } } as const;
  if (filter.workflowUuid === undefined || !window.isMoving) return nothing;
  const every = await nullOnFailure(ask.everyWorkflow(), 'its health');
  const workflow = every.data?.find(({ uuid }) => uuid === filter.workflowUuid);
  if (!workflow) return { data: null, provenance: every.provenance };
  const { data, provenance } = await queryHealth(ask, [workflow], Math.min(now, every.provenance.asOf));
  return { data: data[0]?.health ?? null, provenance };
}

/** Counts the streak among the listed failures, which may be newer. */
function withStreakOf(health: Health, { executions, isCut }: FailureList, window: Window): Health {
  const { streak } = health;
  if (streak === null || isCut || streak.since < window.from) return health;
  const failed = executions.filter(({ startedAt }) => Date.parse(startedAt) >= streak.since).length;
  return { ...health, streak: { ...streak, failed } };
}

/** Null if nothing ran before: then no cause can be called new. */
async function failuresBefore({ ask, filter, window }: Scope): Promise<Answered<FailureList | null>> {
  const before = { ...filter, window: wholeMinutesBefore(window) };
  const failed = await ask.failures({ ...before, max: beforeMax });
  if (failed.data.executions.length > 0) return failed;
  const ran = await ask.executions({ ...before, page: 0, size: 1 });
  return ran.data.executions.length > 0 ? failed : { ...failed, data: null };
}

const minuteMs = 60_000;

/** Ends on a whole minute, so that the cache can answer repeated requests. */
function wholeMinutesBefore(window: Window): Window {
  const { from, to } = windowBefore(window);
  const down = (at: number) => at - (at % minuteMs);
  return { from: down(from), to: down(to), label: `before ${window.label}`, isMoving: false };
}
