/** `logs`: the log lines of one execution. */
import { z } from 'zod';
import { runCooperatively } from '../../../../shared/time/cooperative.ts';
import { consensusOf } from '../../../insight/executions/consensus.ts';
import { isLongLog, logsMessage, logsText } from '../../../views/execution/logs.ts';
import { shortExecutionId } from '../../../views/format/outside-text.ts';
import { executionText, hasWords, searchText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral, textFile } from '../../framework/command.ts';
import { usualNodes } from '../../investigation/investigate.ts';
import { findExecution } from '../../lookup/find-execution.ts';

export const logs = defineCommand({
  name: 'logs',
  group: 'investigate',
  summary: 'the logs of one run, merged over its nodes; the whole as a file',
  usage: '<id or workflow> [--node text] [--grep text]',
  examples: ['logs payments', 'logs payments --grep error'],
  arguments: z.strictObject({
    text: executionText,
    node: searchText,
    grep: searchText,
  }),
  run: async ({ text, node, grep }, context) => {
    const ask = context.ask();
    const found = await findExecution({ typed: text, ask, now: context.clock(), lineFor: (uuid) => `logs ${uuid}` });
    if (found.kind === 'choose') return ephemeral(found.message);
    const { execution, logs: all } = found.answered.data;
    if (all === null) return ephemeral(logsMessage({ consensus: null, filter: null }));
    const wanted = all.filter((line) => hasWords(line.nodeID, node) && hasWords(line.message, grep));
    const filters = [
      ...(node === undefined ? [] : [`node ${node}`]),
      ...(grep === undefined ? [] : [`with “${grep}”`]),
    ];
    // With a filter, a silent node means nothing.
    const knownNodes = filters.length === 0 ? await usualNodes(found.answered.data, ask) : [];
    const consensus = await runCooperatively(consensusOf({ logs: wanted, knownNodes }));
    const message = logsMessage({ consensus, filter: filters.length === 0 ? null : filters.join(', ') });
    const answer = { ...ephemeral(message), hasLogs: true } as const;
    if (!isLongLog(consensus)) return answer;
    return { ...answer, files: [textFile(`logs-${shortExecutionId(execution)}.txt`, () => logsText(consensus))] };
  },
});
