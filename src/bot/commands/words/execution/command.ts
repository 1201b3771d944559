/** `execution`: one execution explained, in a thread. */
import { z } from 'zod';
import { hasEnded } from '../../../insight/executions/result.ts';
import { timelineAlt, timelineSvg } from '../../../views/charts/timeline.ts';
import { comparisonMessage } from '../../../views/execution/comparison.ts';
import { isLongLog, logsMessage, logsText } from '../../../views/execution/logs.ts';
import { timelineMessage } from '../../../views/execution/timeline.ts';
import {
  errorsShownWhole,
  verdictMessage,
  verdictProgressMessage,
  verdictRootMessage,
} from '../../../views/execution/verdict.ts';
import { subjectWords } from '../../../views/notices/pick.ts';
import { executionText, windowFlag } from '../../framework/arguments.ts';
import {
  type AnswerFile,
  defineCommand,
  ephemeral,
  type Services,
  type ThreadAnswer,
  textFile,
} from '../../framework/command.ts';
import { type Investigation, investigate } from '../../investigation/investigate.ts';
import { findExecution } from '../../lookup/find-execution.ts';

export const execution = defineCommand({
  name: 'execution',
  group: 'investigate',
  summary:
    'one run (execution) explained in a thread: verdict, capability timeline, logs, and the differences from the last good run; posted here for everyone, or with --private in your direct messages',
  usage: '<id or workflow> [window] [--private]',
  examples: ['execution payments', 'execution payments --private'],
  arguments: z.strictObject({ text: executionText, window: windowFlag, private: z.boolean().default(false) }),
  run: async ({ text, window, private: isPrivate }, context) => {
    const lineFor = (uuid: string) => `execution ${uuid}${isPrivate ? ' --private' : ''}`;
    const found = await findExecution({ text, window, lineFor }, context);
    if (found.kind === 'choose') return ephemeral(found.message);
    const investigation = await investigate(found.answered, context.ask(), context.clock());
    return { ...threadOf(investigation, context.services), isPrivate };
  },
});

function threadOf(investigation: Investigation, { drawPng, webLinks }: Services): Omit<ThreadAnswer, 'isPrivate'> {
  const { verdict, timeline, consensus, comparison, goodAt, isGoodKnown, isFinal } = investigation;
  const { workflowName, uuid, shortId, workflowUuid, startedAt } = verdict;
  const about = { workflowName, shortId, startedAt };
  const webUrl = webLinks.execution(uuid, workflowUuid);
  const isLong = consensus !== null && isLongLog(consensus);
  const logFile = isLong ? textFile(`logs-${shortId}.txt`, () => logsText(consensus)) : undefined;
  return {
    kind: 'thread',
    subject: uuid,
    about: subjectWords(about),
    progress: verdictProgressMessage(workflowName),
    root: verdictRootMessage(verdict),
    replies: [
      { name: 'verdict', message: verdictMessage({ ...verdict, webUrl }) },
      {
        name: 'timeline',
        message: {
          ...timelineMessage({ subject: about, timeline, shownErrors: errorsShownWhole(verdict) }),
          line: `timeline ${uuid}`,
        },
        file: picture(investigation, drawPng),
      },
      {
        name: 'logs',
        message: {
          ...logsMessage({ subject: about, consensus, filter: null, isRunning: !hasEnded(verdict) }),
          line: `logs ${uuid}`,
        },
        file: logFile,
        hasLogs: true,
      },
      { name: 'comparison', message: comparisonMessage({ comparison, goodAt, isGoodKnown, status: verdict.status }) },
    ],
    isFinal,
    isRunning: !hasEnded(verdict),
  };
}

/** Draws the same steps as the text. */
function picture({ timeline, verdict }: Investigation, drawPng: Services['drawPng']): AnswerFile | undefined {
  if (timeline === null || timeline.calls.length === 0) return undefined;
  const drawn = { title: verdict.workflowName, timeline };
  return {
    name: `timeline-${verdict.shortId}.png`,
    title: 'Capability timeline',
    altText: timelineAlt(drawn),
    content: () => drawPng(timelineSvg(drawn)),
  };
}
