/** Messages to the bot: mentions in a channel and direct messages. Slash commands do not work inside threads. */
import type { Context } from '@slack/bolt';
import { readRecord } from '../../../../shared/json.ts';
import { commandNameOf } from '../../../commands/framework/description.ts';
import { splitLine } from '../../../commands/framework/parse.ts';
import { readTyped } from '../../../commands/lookup/typed-words.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { privateMessage } from '../../outbound/delivery/notices.ts';
import { Note, Progress } from '../../outbound/delivery/progress.ts';
import { newMessage } from '../../outbound/delivery/share.ts';
import { sharingBlockOf } from '../../outbound/web-api/audience.ts';
import { readTypedMessage } from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';
import type { Inbound } from './inbound.ts';

type EventArgs = { readonly event: unknown; readonly context: Context };

/**
 * Answers in the thread that holds the question, so that only the person who asked sees it. In a direct message the
 * answer is private anyway.
 */
export function createMessageListener({ services, answering }: Inbound): (args: EventArgs) => Promise<void> {
  const { posting, wait } = services.slack;
  return async ({ event, context }) => {
    const typed = readTypedMessage(readRecord(event), context.teamId);
    const { botToken } = context;
    if (!typed || botToken === undefined || typed.actor.userId === context.botUserId) return;
    const { actor, ts, threadTs } = typed;
    const { teamId, channelId, userId } = actor;
    const line = await lineOf(typed, services);
    const request = { line, actor, isFresh: false };
    const at = { teamId, botToken, channelId, ...(threadTs !== undefined && { threadTs }) };
    if (channelId.startsWith('D')) {
      const note = new Note(posting, at, wait);
      const answered = await answering.answer(request, note.progress, { botToken });
      if (answered && !(answered.isSeen && !answered.hasNote)) await note.write({ ...answered.message, line });
      return;
    }
    const show = async (message: Message) => (await posting.postPrivately(at, userId, message)).kind === 'done';
    const progress = new Progress({ show, notesMax: 1, wait });
    const answered = await answering.answer(request, progress, { botToken, anchorTs: threadTs ?? ts });
    if (!answered || (answered.isSeen && !answered.hasNote)) return;
    const message = { ...newMessage(answered), line };
    const isPublic = answered.visibility === 'channel';
    const withheld = isPublic ? sharingBlockOf(await posting.post(at, message)) : undefined;
    const shown = withheld === undefined ? message : privateMessage(message, withheld);
    if (!isPublic || withheld !== undefined) await posting.postPrivately(at, userId, shown);
  };
}

/** In the thread of an execution, commands without a name mean that execution, or its workflow. */
const commandsOfRun = ['execution', 'logs', 'timeline'];
const commandsOfWorkflow = ['status', 'failures', 'executions', 'deployments', 'deployment', 'activity', 'export'];
/** A longer line has a name. */
const lineUnitsMax = 300;

async function lineOf(
  { actor, line, threadTs }: NonNullable<ReturnType<typeof readTypedMessage>>,
  { store }: InboundServices,
): Promise<string> {
  if (threadTs === undefined || line.length > lineUnitsMax) return line;
  const { word, words } = splitLine(line);
  const command = commandNameOf(word);
  const isOfRun = commandsOfRun.includes(command);
  if (!isOfRun && !commandsOfWorkflow.includes(command)) return line;
  const firstFlag = words.findIndex((each) => each.startsWith('--'));
  const named = firstFlag < 0 ? words : words.slice(0, firstFlag);
  if (readTyped(named.join(' ')).name !== '') return line;
  // Without an answer of the database the command asks for a name.
  const subject = await store.outbox.subjectBelow({ ...actor, rootTs: threadTs }).catch(() => null);
  if (subject === null) return line;
  return [
    command,
    ...(isOfRun ? [] : ['run']),
    subject,
    ...words.map((each) => (each.includes(' ') ? `"${each}"` : each)),
  ].join(' ');
}
