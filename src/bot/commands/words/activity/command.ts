/** `activity`: successes and failures by hour or day, as a chart. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { answeredWindow } from '../../../domain/window.ts';
import { lastDays } from '../../../domain/window-words.ts';
import { queryHealths } from '../../../health/workflow-health.ts';
import { windowFlag, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope } from '../../lookup/find-workflow.ts';
import { activityMessage } from './view.ts';

export const activity = defineCommand({
  name: 'activity',
  group: 'look',
  summary: 'successes and failures per day (per hour up to 30 h) of one workflow or of all, with a chart',
  usage: '[name] [window]',
  examples: ['activity payments', 'activity 24h', 'activity fx-rates 30d'],
  arguments: z.strictObject({ text: workflowText.optional(), window: windowFlag }),
  run: async (typed, context) => {
    const scope = await readScope({ ...typed, usual: lastDays, lineFor: (uuid) => `activity ${uuid}` }, context);
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, filter, window: asked, now } = scope;
    const series = ask.activitySeries({ ...filter, takesOtherWindow: true }, await context.zone());
    const [workflow, healths, { data, provenance }] = await Promise.all([
      scope.workflow(),
      queryHealths(ask, filter.workflowUuid, now),
      series,
    ]);
    return ephemeral(
      activityMessage({
        workflow,
        ...{ ...data, asked, window: answeredWindow(asked, provenance.instead, now), now },
        isWhole: provenance.missing.length === 0,
        healths: healths.data,
        provenance: combinedProvenance(provenance, healths.provenance),
      }),
      scope.lead,
    );
  },
});
