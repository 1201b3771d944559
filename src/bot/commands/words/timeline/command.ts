/** `timeline`: the capability calls of one execution. */
import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import type { CapabilityCall } from '../../../insight/executions/timeline.ts';
import { message } from '../../../views/blocks/message.ts';
import {
  callStateLabel,
  callStateLabels,
  type TimelineFilter,
  timelineMessage,
} from '../../../views/execution/timeline.ts';
import { staleLine } from '../../../views/format/provenance.ts';
import {
  executionText,
  hasWords,
  searchText,
  statusWord,
  unknownStatusText,
  windowFlag,
} from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { timelineOfDetail } from '../../investigation/investigate.ts';
import { findExecution, subjectOf } from '../../lookup/find-execution.ts';

export const timeline = defineCommand({
  name: 'timeline',
  group: 'investigate',
  summary: 'the steps of one run, with their start, duration and status',
  usage: '<id or workflow> [window] [--capability text] [--status failed,succeeded,in-progress,…]',
  examples: ['timeline payments', 'timeline payments --capability http', 'timeline payments --status failed'],
  arguments: z.strictObject({
    text: executionText,
    window: windowFlag,
    capability: searchText,
    status: searchText,
  }),
  run: async ({ text, window, ...wanted }, context) => {
    const found = await findExecution({ text, window, lineFor: (uuid) => `timeline ${uuid}` }, context);
    if (found.kind === 'choose') return ephemeral(found.message);
    const now = context.clock();
    const detail = found.answered.data;
    const whole = await timelineOfDetail(detail, now);
    const filter = filterOf(wanted, whole?.calls ?? []);
    const subject = subjectOf(detail.execution);
    const { blocks } = timelineMessage({ subject, timeline: whole, ...(filter && { filter }) });
    return ephemeral(message([...staleLine(found.answered.provenance, now), ...blocks]), found.lead);
  },
});

type Wanted = { readonly capability?: string | undefined; readonly status?: string | undefined };

/**
 * Steps that are left out still count for gaps and for the failed step.
 * @throws AppError `usage` for a status that is neither displayed nor one of the steps
 */
function filterOf({ capability, status }: Wanted, calls: readonly CapabilityCall[]): TimelineFilter | null {
  if (capability === undefined && status === undefined) return null;
  const statuses = status?.split(',').map((word) => synonyms.get(statusWord(word)) ?? statusWord(word));
  const known = [...new Set([...callStateLabels, ...calls.map(callStateLabel)])];
  const unknown = statuses?.find(
    (word) => ![...known, ...calls.map((call) => call.status)].map(statusWord).includes(word),
  );
  if (unknown !== undefined) throw new AppError('usage', unknownStatusText(unknown, known));
  const hasStatus = (call: CapabilityCall) =>
    statuses?.some((word) => word === statusWord(callStateLabel(call)) || word === statusWord(call.status)) ?? true;
  return {
    isWanted: (call) => hasWords(call.capability, capability) && hasStatus(call),
    words: [
      ...(capability === undefined ? [] : [`capability “${capability}”`]),
      ...(statuses === undefined ? [] : [`status ${statuses.join(' or ')}`]),
    ].join(' and '),
  };
}

/** Words of executions for the same state. */
const synonyms = new Map([
  ['running', 'in progress'],
  ['success', 'succeeded'],
  ['failure', 'failed'],
]);
