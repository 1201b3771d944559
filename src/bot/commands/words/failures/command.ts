/** `failures`: failures grouped by cause. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { type Window, windowBefore } from '../../../domain/window.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { groupByCause, readCauses, withRecurrence } from '../../../insight/causes/cause.ts';
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
    const [workflow, list, before, activity] = await Promise.all([
      scope.workflow(),
      ask.failures(filter),
      nullOnFailure(failuresBefore(scope), 'the failures of the previous window'),
      nullOnFailure(ask.activity(filter), 'the number of runs'),
    ]);
    await readCauses([...list.data.executions, ...(before.data?.executions ?? [])]);
    return ephemeral(
      failuresMessage({
        workflow,
        causes: withRecurrence(groupByCause(list.data.executions), before.data),
        isCut: list.data.isCut,
        isWhole: !list.data.isCut && list.provenance.missing.length === 0,
        days: activity.data,
        window,
        provenance: combinedProvenance(list.provenance, before.provenance, activity.provenance),
        slashCommand: context.slashCommand,
        now,
      }),
    );
  },
});

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
