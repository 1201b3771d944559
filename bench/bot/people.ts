/** Times a person in the local Slack: types and reads, presses and reads a thread to its end. */
import { setTimeout as wait } from 'node:timers/promises';
import type { LocalSlack } from '../../src/local-slack/server/local-slack.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';

const user = personId('ada');
const channel = channelId('ops-alerts');

export type Load = {
  readonly perSecond: number;
  /** From typing to reading, for each command. */
  readonly readAfterMs: readonly number[];
  /** Answers that did not travel in the acknowledgement. */
  readonly late: number;
};

/** @returns whether the answer came in the acknowledgement @throws Error where the command failed */
export type TypeOnce = (line: string) => Promise<boolean>;

/** Slash commands in a local Slack, which delivers them over its socket. */
export function typingInSlack(slack: LocalSlack) {
  const type: TypeOnce = async (line) => {
    const result = await slack.command({ user, channel, text: `/workflow ${line}` });
    if (!result.ok) throw new Error(`“${line}” was not answered: ${result.error}`);
    return result.message !== null;
  };
  return { type, close: async () => {} };
}

type Together = { readonly lines: readonly string[]; readonly atOnce: number; readonly commands: number };

/**
 * @param lines typed one after the other @param atOnce people, each of whom types again when the answer has arrived
 * @param commands number of commands of all people
 */
export async function typeTogether(type: TypeOnce, { lines, atOnce, commands }: Together): Promise<Load> {
  const readAfterMs: number[] = [];
  let left = commands;
  let late = 0;
  const typeOn = async () => {
    while (left > 0) {
      left -= 1;
      const typedAt = performance.now();
      if (!(await type(lines[left % lines.length] ?? ''))) late += 1;
      readAfterMs.push(performance.now() - typedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, typeOn));
  return { perSecond: (commands * 1000) / (performance.now() - startedAt), readAfterMs, late };
}

/** Commands at a fixed rate, whether or not the previous one is answered. */
export async function typeSteadily(
  type: TypeOnce,
  { line, perSecond, commands }: { readonly line: string; readonly perSecond: number; readonly commands: number },
): Promise<Load> {
  const readAfterMs: number[] = [];
  let late = 0;
  const startedAt = performance.now();
  const typed = Array.from({ length: commands }, async (_, index) => {
    const dueMs = (index * 1000) / perSecond;
    await wait(dueMs);
    const typedAt = performance.now();
    if (!(await type(line))) late += 1;
    readAfterMs.push(performance.now() - typedAt);
  });
  await Promise.all(typed);
  return { perSecond: (commands * 1000) / (performance.now() - startedAt), readAfterMs, late };
}

/** @returns the answer, in the acknowledgement or later, and the milliseconds until it could be read */
export async function typeAndRead(slack: LocalSlack, line: string) {
  const next = slack.nextMessage({ channel, viewer: user });
  const typedAt = performance.now();
  await slack.command({ user, channel, text: `/workflow ${line}` });
  const message = await next;
  return { message, afterMs: performance.now() - typedAt };
}

export type ThreadRead = {
  readonly rootAfterMs: number;
  /** The first reply: the failure and its cause. */
  readonly verdictAfterMs: number;
  readonly lastReplyAfterMs: number;
  /** Messages and files in the thread, without the root. */
  readonly replies: number;
};

/** Types a status, presses Investigate on its card, and waits until the bot links to the thread. */
export async function pressAndRead(slack: LocalSlack, card: { readonly ts: string; readonly blocks: unknown }) {
  const actionId = /"action_id":"(cmd:open:execution [^"]+)"/.exec(JSON.stringify(card.blocks))?.[1];
  if (actionId === undefined) throw new Error('The card has no Investigate button.');
  const posted: { readonly isReply: boolean; readonly at: number }[] = [];
  const stop = slack.workspace.history.events.on(({ type, message }) => {
    if (type === 'posted' && message.viewer === null) {
      posted.push({ isReply: message.threadTs !== null && message.threadTs !== message.ts, at: performance.now() });
    }
  });
  const note = slack.nextMessage({ channel, viewer: user, matches: ({ isEphemeral }) => isEphemeral });
  const pressedAt = performance.now();
  const result = await slack.press({ user, channel, ts: card.ts, actionId });
  if (!result.ok) throw new Error(`The button did nothing: ${result.error}`);
  await note;
  stop();
  const replies = posted.filter(({ isReply }) => isReply).map(({ at }) => at - pressedAt);
  return {
    rootAfterMs: (posted.find(({ isReply }) => !isReply)?.at ?? Number.NaN) - pressedAt,
    verdictAfterMs: replies[0] ?? Number.NaN,
    lastReplyAfterMs: replies.at(-1) ?? Number.NaN,
    replies: replies.length,
  } satisfies ThreadRead;
}
