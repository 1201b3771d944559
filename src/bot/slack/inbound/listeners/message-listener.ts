/** Messages to the bot: mentions in a channel and direct messages. Slash commands do not work inside threads. */
import type { Context } from '@slack/bolt';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import { commandNameOf } from '../../../commands/framework/description.ts';
import { splitLine } from '../../../commands/framework/parse.ts';
import { isCourtesy, isNameless } from '../../../commands/lookup/typed-words.ts';
import { commandAsked, commandOfNoun } from '../../../commands/lookup/unknown-word.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { privateMessage } from '../../outbound/delivery/notices.ts';
import { Note, Progress } from '../../outbound/delivery/progress.ts';
import { newMessage } from '../../outbound/delivery/share.ts';
import { sharingBlockOf } from '../../outbound/web-api/audience.ts';
import { type EventArgs, readAnsweredLine, readTypedMessage, type TypedMessage } from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';
import type { Inbound } from './inbound.ts';

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
    const line = await lineOf(typed, services, context);
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

/** In the thread of a run, or below an answer, lines without a name mean that run, or its workflow. */
const commandsOfRun = ['execution', 'logs', 'timeline'];
const commandsOfWorkflow = ['status', 'failures', 'executions', 'deployments', 'deployment', 'activity', 'export'];
/** A longer line has a name. */
const lineUnitsMax = 300;

async function lineOf(typed: TypedMessage, services: InboundServices, context: Context): Promise<string> {
  const { line } = typed;
  if (typed.threadTs === undefined || line.length > lineUnitsMax) return line;
  const { word, words } = splitLine(line);
  const command = commandNameOf(word);
  const isCommand = [...commandsOfRun, ...commandsOfWorkflow].includes(command);
  const firstFlag = words.findIndex((each) => each.startsWith('--'));
  const named = firstFlag < 0 ? words : words.slice(0, firstFlag);
  const ofCommand = command === 'logs' ? withoutNode(named) : named;
  const nouns = isCommand ? ofCommand : [word, ...named].filter((each) => commandOfNoun(each) === undefined);
  if (word === '' || word === 'list' || !isNameless(nouns) || isCourtesy([word, ...words])) return line;
  const subject = await subjectOf({ ...typed, threadTs: typed.threadTs }, services, context);
  if (subject === null) return line;
  const meant = isCommand ? command : commandAsked([word, ...words]);
  const isRun = subject.isRun && !commandsOfRun.includes(meant);
  const rest = isCommand ? words : [word, ...words].filter((each) => commandOfNoun(each) === undefined);
  const quoted = rest.map((each) => (each.includes(' ') ? `"${each}"` : each));
  return [meant, ...(isRun ? ['run'] : []), subject.uuid, ...quoted].join(' ');
}

/** `logs node 3` names no workflow. */
const withoutNode = (words: readonly string[]) =>
  words
    .join(' ')
    .replace(/(?<!\S)node[-_ ]?\d{1,6}(?!\S)/gi, '')
    .split(' ');

type Subject = { readonly uuid: string; readonly isRun: boolean };

/** @returns null without an answer of the database and of Slack, too: the command asks for a name */
async function subjectOf(
  { actor, threadTs }: TypedMessage & { readonly threadTs: string },
  { store, slack }: InboundServices,
  { botToken = '', botUserId }: Context,
): Promise<Subject | null> {
  const uuid = await store.outbox.subjectBelow({ ...actor, rootTs: threadTs }).catch(() => null);
  if (uuid !== null) return { uuid, isRun: true };
  const at = Number(threadTs) * 1000;
  // The root may be a message of another app.
  const isAnswer = (root: JsonRecord) => readText(root, 'ts') === threadTs && readText(root, 'user') === botUserId;
  const read = await slack.history((message) => (isAnswer(message) ? [message] : []))({
    target: { botToken, channelId: actor.channelId, threadTs },
    span: { from: at - 1, to: at + 1 },
    waitMsMax: 0,
  });
  const [root] = Array.isArray(read) ? read : [];
  const line = root === undefined ? undefined : readAnsweredLine(root);
  const [, word = '', id] =
    /^(\w+) (?:.* )?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?: |$)/.exec(line ?? '') ?? [];
  return id === undefined ? null : { uuid: id, isRun: commandsOfRun.includes(word) };
}
