/** `timeline`: the capability calls of one execution. */
import { z } from 'zod';
import { timelineMessage } from '../../../views/execution/timeline.ts';
import { executionText, hasWords, searchText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { timelineOfDetail } from '../../investigation/investigate.ts';
import { findExecution } from '../../lookup/find-execution.ts';

export const timeline = defineCommand({
  name: 'timeline',
  group: 'investigate',
  summary: 'the capabilities one run used, with their start, duration and state',
  usage: '<id or workflow> [--capability text] [--status word]',
  examples: ['timeline payments', 'timeline payments --capability http'],
  arguments: z.strictObject({
    text: executionText,
    capability: searchText,
    status: searchText,
  }),
  run: async ({ text, capability, status }, context) => {
    const ask = context.ask();
    const now = context.clock();
    const found = await findExecution({ typed: text, ask, now, lineFor: (uuid) => `timeline ${uuid}` });
    if (found.kind === 'choose') return ephemeral(found.message);
    const detail = found.answered.data;
    return ephemeral(
      timelineMessage({
        workflowName: detail.execution.workflowName,
        timeline: await timelineOfDetail(detail, now),
        // Calls that are left out still count for gaps and for the failed call.
        isWanted: (call) =>
          hasWords(call.capability, capability) && (status === undefined || isWord(call.status, status)),
      }),
    );
  },
});

function isWord(word: string, other: string): boolean {
  return word.toLowerCase() === other.toLowerCase();
}
