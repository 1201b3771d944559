/** `logs`: the log lines of one execution. */
import { z } from 'zod';
import { runCooperatively } from '../../../../shared/time/cooperative.ts';
import { plainWord } from '../../../domain/window-words.ts';
import { consensusOf } from '../../../insight/executions/consensus.ts';
import { hasEnded } from '../../../insight/executions/result.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import { message } from '../../../views/blocks/message.ts';
import { paragraph, rich } from '../../../views/blocks/rich-text.ts';
import { isLongLog, logsMessage, logsText } from '../../../views/execution/logs.ts';
import { shortExecutionId } from '../../../views/format/outside-text.ts';
import { staleLine } from '../../../views/format/provenance.ts';
import { executionText, hasWords, searchText, windowFlag } from '../../framework/arguments.ts';
import { defineCommand, ephemeral, textFile } from '../../framework/command.ts';
import { usualNodes } from '../../investigation/investigate.ts';
import { findExecution, subjectOf } from '../../lookup/find-execution.ts';
import { findWorkflow } from '../../lookup/find-workflow.ts';

/** `logs payments errors only` */
const levelWords = /(?:^| )(?:errors?|warnings?|warn)(?: |$)/i;
const noLevels = rich`Log lines have no level, so all are shown. To search them, add --grep error.`;

export const logs = defineCommand({
  name: 'logs',
  group: 'investigate',
  summary: 'the logs of one run, merged across its nodes; a long log as a file',
  usage: '<id or workflow> [window] [--node text] [--grep text]',
  examples: ['logs payments', 'logs payments --grep error'],
  arguments: z.strictObject({
    text: executionText,
    window: windowFlag,
    node: searchText,
    grep: searchText,
  }),
  run: async ({ window, grep, ...typed }, context) => {
    const { text, node } = typed.node === undefined ? await readNode(typed.text, context.ask()) : typed;
    const found = await findExecution({ text, window, lineFor: (uuid) => `logs ${uuid}` }, context);
    if (found.kind === 'choose') return ephemeral(found.message);
    const { lead } = found;
    const isSearch = node !== undefined || grep !== undefined;
    const { execution, logs: all } = found.answered.data;
    const wantsLevel = !isSearch && all !== null && all.length > 0 && levelWords.test(text);
    const age = staleLine(found.answered.provenance, context.clock());
    const notes = [...age, ...(wantsLevel ? [paragraph(noLevels)] : [])];
    const about = { subject: subjectOf(execution), isRunning: !hasEnded(execution) };
    if (all === null)
      return ephemeral(message([...notes, ...logsMessage({ ...about, consensus: null, filter: null }).blocks]), lead);
    const wanted = all.filter((line) => hasWords(line.nodeID, node) && hasWords(line.message, grep));
    const nodes = [...new Set(all.map(({ nodeID }) => nodeID))].toSorted();
    const filter = isSearch ? { node, text: grep, lineCount: all.length, nodes } : null;
    // With a filter, a silent node means nothing.
    const knownNodes = filter === null ? await usualNodes(found.answered.data, context.ask()) : [];
    const consensus = await runCooperatively(consensusOf({ logs: wanted, knownNodes }));
    const { blocks } = logsMessage({ ...about, consensus, filter });
    const answer = { ...ephemeral(message([...notes, ...blocks]), lead), hasLogs: true } as const;
    if (!isLongLog(consensus)) return answer;
    return { ...answer, file: textFile(`logs-${shortExecutionId(execution)}.txt`, () => logsText(consensus)) };
  },
});

/** `logs payments node-7` */
const nodeWord = /^node[-_]?\d+$/i;

/** @returns the node that is typed without `--node`, and the other words; a name may have such a word in it */
async function readNode(text: string, ask: QueryClient): Promise<{ readonly text: string; readonly node?: string }> {
  const words = text.split(' ').map(plainWord);
  const nodes = words.filter((word) => nodeWord.test(word));
  if (nodes.length === 0 || words.length === 1) return { text };
  const { kind, beside } = await findWorkflow(text, ask);
  const node = nodes.findLast((word) => kind === 'none' || beside.includes(word));
  return node === undefined ? { text } : { text: words.toSpliced(words.lastIndexOf(node), 1).join(' '), node };
}
