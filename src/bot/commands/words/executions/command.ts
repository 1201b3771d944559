/** `executions`: a page of runs, newest first. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { answeredWindow } from '../../../domain/window.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { queryHealths } from '../../../health/workflow-health.ts';
import { executionStatusLabel } from '../../../views/format/status-labels.ts';
import { pageNumber, statusReader, windowFlag, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope } from '../../lookup/find-workflow.ts';
import { executionsByResult } from './by-result.ts';
import { executionListMessage, statusFlag } from './view.ts';

const pageSize = 20;

const executionStatuses = statusReader(
  ['FAILURE', 'SUCCESS', 'COMPLETED_WITH_ERRORS', 'IN_PROGRESS', 'TRIGGERED', 'UNSPECIFIED', 'UNKNOWN'],
  executionStatusLabel,
  {
    FAILURE: ['fail', 'fails', 'failing', 'failures', 'broken', 'red'],
    SUCCESS: ['successful', 'good', 'green'],
    COMPLETED_WITH_ERRORS: ['with errors', 'with error'],
    IN_PROGRESS: ['running', 'unfinished'],
  },
);

/** `executions payments failed`. @returns undefined if the words name no status */
function statusAmong(words: readonly string[]) {
  const { statuses } = executionStatuses.among(words);
  return statuses.length === 0 ? undefined : [...new Set(statuses)];
}

export const executions = defineCommand({
  name: 'executions',
  group: 'look',
  summary: 'the runs of one workflow or of all, newest first, with their result and duration',
  usage: '[name] [--status failed,succeeded,in-progress,…] [window] [--page n]',
  examples: ['executions payments', 'executions --status failed', 'executions risk-model --status in-progress 7d'],
  arguments: z.strictObject({
    text: workflowText.optional(),
    status: executionStatuses.schema,
    window: windowFlag,
    page: pageNumber,
  }),
  run: async ({ status, page, ...typed }, context) => {
    const lineFor = (uuid: string, words: readonly string[]) => {
      const statuses = status ?? statusAmong(words);
      return `executions ${uuid}${statuses === undefined ? '' : ` ${statusFlag(statuses)}`}`;
    };
    const scope = await readScope({ ...typed, usual: lastDay, lineFor }, context);
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, filter, window: asked, now } = scope;
    const statuses = status ?? statusAmong(scope.words);
    const [workflow, healths, zone, { data, provenance }] = await Promise.all([
      scope.workflow(),
      queryHealths(ask, filter.workflowUuid, now),
      context.zone(),
      executionsByResult(ask, { ...filter, statuses, page: page - 1, size: pageSize }),
    ]);
    const window = answeredWindow(asked, provenance.instead, now);
    return ephemeral(
      executionListMessage({
        ...data,
        ...{ workflow, statuses, page, asked, window, zone, now },
        healths: healths.data,
        provenance: combinedProvenance(provenance, healths.provenance),
        slashCommand: context.services.slashCommand,
      }),
      scope.lead,
    );
  },
});
