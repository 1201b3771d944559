/** Messages to the bot: mentions in a channel and direct messages. Slash commands do not work inside threads. */
import type { Context } from '@slack/bolt';
import { readRecord } from '../../../../shared/json.ts';
import { commandNameOf } from '../../../commands/framework/description.ts';
import { splitLine } from '../../../commands/framework/parse.ts';
import { readTyped } from '../../../commands/lookup/typed-words.ts';
import type { Outbox } from '../../../store/repositories/outbox.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { privateMessage } from '../../outbound/delivery/notices.ts';
import type { Posting } from '../../outbound/delivery/posting.ts';
import { createNote, createProgress, type ProgressWay } from '../../outbound/delivery/progress.ts';
import { newMessage } from '../../outbound/delivery/share.ts';
import { sharingBlockOf } from '../../outbound/web-api/audience.ts';
import { readTypedMessage, type TypedMessage } from '../middleware/read-payload.ts';
import type { Answering } from './answering.ts';

export type MessageListenerDeps = {
  readonly answer: Answering;
  readonly posting: Posting;
  readonly outbox: Pick<Outbox, 'subjectBelow'>;
  readonly wait: ProgressWay['wait'];
};

type EventArgs = { readonly event: unknown; readonly context: Context };

/**
 * Answers in the thread that holds the question, so that only the person who asked sees it. In a direct message the
 * answer is private anyway.
 */
export function createMessageListener({
  answer,
  posting,
  outbox,
  wait,
}: MessageListenerDeps): (args: EventArgs) => Promise<void> {
  return async ({ event, context }) => {
    const typed = readTypedMessage(readRecord(event), context.teamId);
    const { botToken } = context;
    if (!typed || botToken === undefined || typed.actor.userId === context.botUserId) return;
    const { actor, ts, threadTs } = typed;
    const line = await lineOf(typed, outbox);
    const request = { line, actor, isFresh: false };
    const anchorTs = threadTs ?? ts;
    const isDirect = actor.channelId.startsWith('D');
    const answerContext = isDirect ? { botToken } : { botToken, anchorTs };
    const at = {
      teamId: actor.teamId,
      botToken,
      channelId: actor.channelId,
      ...(threadTs !== undefined && { threadTs }),
    };
    const note = createNote(posting, at);
    const carry = async (message: Message) => {
      if (isDirect) return note.write(message);
      return (await posting.postPrivately(at, actor.userId, message)).kind === 'done';
    };
    const progress = createProgress({ carry, notesMax: isDirect ? Number.POSITIVE_INFINITY : 1, wait });
    const answered = await answer(request, progress.show, answerContext);
    const hasNote = await progress.end();
    if (!answered || (answered.isSeen && !hasNote)) return;
    const { visibility } = answered;
    const message = { ...(isDirect ? answered.message : newMessage(answered)), line };
    if (isDirect) {
      await note.write(message);
      return;
    }
    const withheld = visibility === 'channel' ? sharingBlockOf(await posting.post(at, message)) : undefined;
    const shown = withheld === undefined ? message : privateMessage(message, withheld);
    if (visibility === 'ephemeral' || withheld !== undefined) await posting.postPrivately(at, actor.userId, shown);
  };
}

/** In the thread of an execution, commands without a name mean that execution, or its workflow. */
const commandsOfRun = ['execution', 'logs', 'timeline'];
const commandsOfWorkflow = ['status', 'failures', 'executions', 'deployments', 'deployment', 'activity', 'export'];
/** A longer line has a name. */
const lineUnitsMax = 300;

async function lineOf({ actor, line, threadTs }: TypedMessage, outbox: MessageListenerDeps['outbox']): Promise<string> {
  if (threadTs === undefined || line.length > lineUnitsMax) return line;
  const { word, words } = splitLine(line);
  const command = commandNameOf(word);
  const isOfRun = commandsOfRun.includes(command);
  if (!isOfRun && !commandsOfWorkflow.includes(command)) return line;
  const firstFlag = words.findIndex((each) => each.startsWith('--'));
  const named = firstFlag < 0 ? words : words.slice(0, firstFlag);
  if (readTyped(named.join(' ')).name !== '') return line;
  // Without an answer of the database the command asks for a name.
  const subject = await outbox.subjectBelow({ ...actor, rootTs: threadTs }).catch(() => null);
  if (subject === null) return line;
  return [
    command,
    ...(isOfRun ? [] : ['run']),
    subject,
    ...words.map((each) => (each.includes(' ') ? `"${each}"` : each)),
  ].join(' ');
}
