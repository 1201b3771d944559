/** Remembers for a day which workspaces refuse charts, so that their messages are sent without them at once. */
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { AnswerFile, MessageAnswer } from '../../../commands/framework/command.ts';
import { hasChart, withoutCharts } from '../../../views/blocks/list-form.ts';
import type { Message } from '../../../views/blocks/message.ts';

export type RefusedCharts = {
  /** Called after a workspace took a message in its list form only. */
  readonly record: (teamId: string | undefined, message: Message) => void;
  /** Returns true if the message has a chart, and the workspace refused one in the last day. */
  readonly isRefused: (teamId: string | undefined, message: Message) => boolean;
};

const dayMs = 86_400_000;
const workspacesMax = 5_000;

export function createRefusedCharts(clock: Clock): RefusedCharts {
  const refused = createLruCache<true>({ entriesMax: workspacesMax, ttlMs: dayMs, clock });
  return {
    record: (teamId, message) => {
      if (teamId === undefined || !hasChart(message)) return;
      refused.set(teamId, true);
      message.onChartRefused?.();
    },
    isRefused: (teamId, message) => teamId !== undefined && hasChart(message) && refused.get(teamId) === true,
  };
}

/** @returns the message, without its charts if the workspace refuses them */
export function withAcceptedCharts(
  message: Message,
  teamId: string | undefined,
  { isRefused }: RefusedCharts,
): Message {
  return isRefused(teamId, message) ? { ...message, blocks: withoutCharts(message.blocks) } : message;
}

/**
 * @param sendLater sends the picture of a chart that Slack refuses only now
 * @returns the answer with its chart, or with the picture of it where Slack refuses charts
 */
export function withChartOrPicture(
  answer: MessageAnswer,
  teamId: string,
  refusedCharts: RefusedCharts,
  sendLater: (pictures: readonly AnswerFile[]) => void,
): MessageAnswer {
  const { files: all = [], ...rest } = answer;
  const message = withAcceptedCharts(answer.message, teamId, refusedCharts);
  if (!hasChart(message)) return { ...answer, message };
  const { pictures = [], files = [] } = Object.groupBy(all, ({ isChartPicture }) =>
    isChartPicture ? 'pictures' : 'files',
  );
  const onChartRefused = pictures.length > 0 ? { onChartRefused: () => sendLater(pictures) } : {};
  return { ...rest, message: { ...message, ...onChartRefused }, ...(files.length > 0 && { files }) };
}
