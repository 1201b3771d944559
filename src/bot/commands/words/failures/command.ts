/** `failures`: failures grouped by cause. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { causesOf } from '../../../health/causes.ts';
import { type FailedWorkflows, queryFailedWorkflows } from '../../../health/failed-workflows.ts';
import { type CauseGroup, groupByCause, withRecurrence } from '../../../insight/causes/cause.ts';
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { nullOnFailure } from '../../../query/null-on-failure.ts';
import type { Answered, Workflow } from '../../../query/results.ts';
import { windowFlag, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope, type Scope } from '../../lookup/find-workflow.ts';
import { failuresMessage } from './view.ts';

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
    const [workflow, every, list, activity] = await Promise.all([
      scope.workflow(),
      nullOnFailure(ask.everyWorkflow(), 'which workflows fail now'),
      ask.failures(filter),
      nullOnFailure(ask.activity(filter), 'the number of runs'),
    ]);
    const groups = groupByCause(await causesOf(list.data.executions));
    const failed = await queryFailed(scope, { ...every, data: every.data ?? [] }, groups);
    return ephemeral(
      failuresMessage({
        workflow,
        healths: failed.data.healths,
        causes: withRecurrence(groups, failed.data.recurrenceIn),
        isCut: list.data.isCut,
        isWhole: !list.data.isCut && list.provenance.missing.length === 0,
        days: activity.data,
        window,
        provenance: combinedProvenance(list.provenance, failed.provenance, activity.provenance),
        slashCommand: context.services.slashCommand,
        now,
      }),
    );
  },
});

/** The one workflow, failed or not; of all, those that failed last. */
async function queryFailed(
  { ask, filter: { workflowUuid }, window, now }: Scope,
  { data: workflows, provenance }: Answered<readonly Workflow[]>,
  groups: readonly CauseGroup<ExecutionFieldsFragment>[],
): Promise<Answered<FailedWorkflows>> {
  // A whole minute, so that the cache can answer repeated requests.
  const from = window.from - (window.from % minuteMs);
  const one = workflows.filter(({ uuid }) => uuid === workflowUuid);
  const names = new Map(one.map(({ name }) => [name, { last: 0, from }]));
  for (const { workflows: failing, last } of groups) {
    for (const name of failing) names.set(name, { last: Math.max(last, names.get(name)?.last ?? last), from });
  }
  const asked = workflowUuid === undefined ? workflows : one;
  const failed = await queryFailedWorkflows(ask, asked, names, Math.min(now, provenance.asOf));
  return { ...failed, provenance: combinedProvenance(provenance, failed.provenance) };
}

const minuteMs = 60_000;
