/** `failures`: failures grouped by cause. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { answeredWindow, isRolling } from '../../../domain/window.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { causesOf } from '../../../health/causes.ts';
import { type FailedWorkflows, queryFailedWorkflows } from '../../../health/failed-workflows.ts';
import { groupByCause, withAges } from '../../../insight/causes/cause.ts';
import { type Answered, type FailureList, nullOnFailure, type Workflow } from '../../../query/results.ts';
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
  run: async (typed, context) => {
    const scope = await readScope({ ...typed, usual: lastDay, lineFor: (uuid) => `failures ${uuid}` }, context);
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, window: asked, now, filter } = scope;
    const activityOf = (about: Scope['filter']) => nullOnFailure(ask.activity(about), 'the number of runs');
    const [workflow, every, list, own] = await Promise.all([
      scope.workflow(),
      nullOnFailure(ask.everyWorkflow(), 'which workflows fail now'),
      ask.failures({ ...filter, takesOtherWindow: true }),
      activityOf(filter),
    ]);
    const { instead } = list.provenance;
    const window = answeredWindow(asked, instead, now);
    const activity = instead === undefined ? own : await activityOf({ ...filter, window });
    const groups = groupByCause(await causesOf(list.data.executions));
    const failed = await queryFailed({ ...scope, window }, { ...every, data: every.data ?? [] }, list);
    return ephemeral(
      failuresMessage({
        workflow,
        healths: failed.data.healths,
        causes: withAges(groups, failed.data.ageIn),
        isCut: list.data.isCut,
        isWhole: !list.data.isCut && list.provenance.missing.length === 0,
        counts: activity.data && {
          success: activity.data.reduce((sum, { successCount }) => sum + successCount, 0),
          failure: activity.data.reduce((sum, { failureCount }) => sum + failureCount, 0),
        },
        asked,
        window,
        provenance: combinedProvenance(list.provenance, failed.provenance, activity.provenance),
        slashCommand: context.services.slashCommand,
        now,
      }),
      scope.lead,
    );
  },
});

/** The one workflow, failed or not; of all, those that failed last. */
async function queryFailed(
  { ask, filter: { workflowUuid }, window, now }: Scope,
  { data: workflows, provenance }: Answered<readonly Workflow[]>,
  list: Answered<FailureList>,
): Promise<Answered<FailedWorkflows>> {
  const one = workflows.filter(({ uuid }) => uuid === workflowUuid);
  const oldest = list.data.isCut ? list.data.executions.at(-1) : undefined;
  // When it was read, so that the cache can answer a repeated request.
  const start = isRolling(window) ? window.from - now + list.provenance.asOf : window.from;
  const from = oldest === undefined ? start : Date.parse(oldest.startedAt);
  const runs = list.data.executions.map((run) => [run.workflowName, Date.parse(run.startedAt)] as const);
  const last = new Map([...one.map(({ name }) => [name, from] as const), ...runs.toReversed()]);
  const names = new Map([...last].map(([name, at]) => [name, { first: from, last: at }]));
  const asked = workflowUuid === undefined ? workflows : one;
  const failed = await queryFailedWorkflows(ask, asked, names, {
    ...{ from, now: Math.min(now, provenance.asOf), isOne: workflowUuid !== undefined },
  });
  return { ...failed, provenance: combinedProvenance(provenance, failed.provenance) };
}
