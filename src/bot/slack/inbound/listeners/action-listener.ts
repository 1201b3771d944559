/**
 * Handles a button or menu that carries a command line, and the shortcut of a message: acknowledges at once, answers as the
 * action id says.
 */

import { hash } from 'node:crypto';
import type { Middleware, SlackActionMiddlewareArgs, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { AppError } from '../../../../shared/errors.ts';
import { readRecord } from '../../../../shared/json.ts';
import type { MessageAnswer } from '../../../commands/framework/command.ts';
import { asAppError, problemOf } from '../../../commands/framework/problem.ts';
import type { Actor, Person } from '../../../domain/person.ts';
import type { CommandMode } from '../../../views/blocks/command-button.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { pickWorkflowMessage } from '../../../views/notices/pick.ts';
import type { Destination } from '../../outbound/delivery/delivery.ts';
import {
  maybeSharedMessage,
  noChannelMessage,
  noExecutionMessage,
  notSharedMessage,
  outdatedButtonMessage,
} from '../../outbound/delivery/notices.ts';
import { fullPayload, type Placement } from '../../outbound/delivery/payload.ts';
import { Note } from '../../outbound/delivery/progress.ts';
import { newMessage, sharedMessage, sharedNotice, visibleMessage } from '../../outbound/delivery/share.ts';
import { Deduplicator } from '../middleware/deduplicate.ts';
import { type PressedMessage, readClick, readShortcut, type Shortcut } from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';
import type { Answered } from './answering.ts';
import type { Inbound } from './inbound.ts';

/** A press, with everything that an answer needs. */
type Press = {
  readonly actor: Actor;
  readonly line: string;
  readonly message: PressedMessage | undefined;
  readonly triggerId: string | undefined;
  readonly to: Destination;
};

const below: Placement = { kind: 'new', visibility: 'ephemeral' };

export function createActionListener(inbound: Inbound): Middleware<SlackActionMiddlewareArgs> {
  const { services, acknowledgements, homeTab } = inbound;
  const shared = new Deduplicator(services.runtime.clock);
  return async ({ body, payload, ack, context }) => {
    acknowledgements.open(() => ack()).ack();
    const { botToken } = context;
    const click = readClick(readRecord(body), readRecord(payload), context.teamId);
    const { actor, atHome: person, line, mode, message, responseUrl, triggerId } = click;
    if (person && mode && line !== undefined && botToken !== undefined) {
      if (mode === 'refresh') await homeTab?.renew(person, botToken, true);
      else await pressAtHome(inbound, { person, line, botToken, triggerId });
      return;
    }
    if (!actor || !mode || line === undefined) {
      const notice = actor ? outdatedButtonMessage(services.slashCommand) : noChannelMessage;
      await services.slack.delivery.respond(responseUrl, fullPayload(notice, below));
      return;
    }
    const press: Press = { actor, line, message, triggerId, to: { actor, responseUrl, botToken } };
    await run(inbound, mode, press, shared);
  };
}

async function run(inbound: Inbound, mode: CommandMode, press: Press, shared: Deduplicator): Promise<void> {
  switch (mode) {
    case 'open':
      return open(inbound, press);
    case 'replace':
      return replace(inbound, press, false);
    case 'refresh':
      return replace(inbound, press, true);
    case 'share':
      return share(inbound, press, shared);
  }
}

/**
 * Places a thread under the pressed message if the channel sees that message.
 * @returns undefined if a modal shows the answer
 */
function answerPress(
  { services, answering }: Inbound,
  { line, actor, message, triggerId, to }: Press,
  { isFresh = false, noteWhere = 'below', takesFile = true }: PressOptions = {},
): Promise<Answered | undefined> {
  const anchorTs = message?.visibility === 'channel' ? (message.threadTs ?? message.ts) : undefined;
  const progress = services.slack.delivery.progress(to, noteWhere);
  const context = { botToken: to.botToken, anchorTs, takesFile, triggerId };
  return answering.answer({ line, actor, isFresh }, progress, context);
}

type PressOptions = {
  readonly isFresh?: boolean;
  readonly noteWhere?: 'in_place' | 'below';
  readonly takesFile?: boolean;
};

async function open(inbound: Inbound, press: Press): Promise<void> {
  const { message, to } = press;
  const answer = await answerPress(inbound, press);
  if (!answer || answer.isSeen) return;
  const placement = { kind: 'new', visibility: answer.visibility, threadTs: threadOf(message, answer) } as const;
  await inbound.services.slack.delivery.deliver(to, newMessage(answer), placement);
}

/** If the root of a thread was pressed in the channel, an answer for one person stays in the channel. */
function threadOf(message: Press['message'], { visibility }: MessageAnswer): string | undefined {
  const isRoot = message !== undefined && message.threadTs === message.ts;
  return isRoot && visibility === 'ephemeral' ? undefined : message?.threadTs;
}

/** A message that the whole channel sees is never replaced by an error for one person. */
async function replace(inbound: Inbound, press: Press, isFresh: boolean): Promise<void> {
  const { delivery } = inbound.services.slack;
  const { message, to } = press;
  const visibility = message?.visibility ?? 'ephemeral';
  const noteWhere = message && visibility === 'ephemeral' ? 'in_place' : 'below';
  // A refresh does not send the same file again, and a channel needs no note that one person got a file.
  const takesFile = !isFresh && visibility === 'ephemeral';
  const answer = await answerPress(inbound, press, { isFresh, noteWhere, takesFile });
  if (!answer) return;
  if (!message || (visibility === 'channel' && answer.isProblem)) {
    await delivery.deliver(to, answer.message, below);
    return;
  }
  const shown = visibility === 'channel' ? visibleMessage(answer.message, message.sharedBy) : answer.message;
  await delivery.deliver(to, shown, { kind: 'replace', visibility });
}

/** Posts one message in the channel for each press: a second press before the button disappears does nothing. */
async function share(inbound: Inbound, press: Press, shared: Deduplicator): Promise<void> {
  const { actor, message, line } = press;
  const { teamId } = actor;
  const key = `${teamId}:${actor.channelId}:${message?.ts}:${line}`;
  if (!shared.isFirst(key)) return;
  const lease = await inbound.takeLease(teamId, `share ${hash('sha256', key)}`);
  if (!lease || (await shareOnce(inbound, press))) return;
  shared.forget(key);
  await lease.release();
}

/** @returns false if the person may press again */
async function shareOnce(inbound: Inbound, press: Press): Promise<boolean> {
  const { delivery } = inbound.services.slack;
  const { actor, message, to } = press;
  const answer = await answerPress(inbound, press, { takesFile: false });
  if (!answer) return true;
  if (answer.isProblem) {
    await delivery.deliver(to, answer.message, below);
    return false;
  }
  const placement = { kind: 'new', visibility: 'channel', threadTs: message?.threadTs } as const;
  const outcome = await delivery.deliver(to, sharedMessage(answer.message, actor.userId), placement, true);
  if (outcome === 'failed') await delivery.deliver(to, notSharedMessage, below);
  if (outcome === 'uncertain') await delivery.deliver(to, maybeSharedMessage, below);
  if (outcome === 'delivered' && message?.visibility === 'ephemeral')
    await delivery.deliver(to, sharedNotice, { kind: 'replace', visibility: 'ephemeral' });
  return outcome === 'delivered' || outcome === 'uncertain';
}

type HomePress = {
  readonly person: Person;
  readonly line: string;
  readonly botToken: string;
  /** Opens one modal. */
  readonly triggerId: string | undefined;
};

/** Answers a press in the Home tab by direct message, since the tab belongs to no channel. */
async function pressAtHome({ services, answering }: Inbound, press: HomePress): Promise<void> {
  const { runtime, slack } = services;
  const { person, line, botToken, triggerId } = press;
  const channelId = await slack.posting.directChannel(botToken, person.userId);
  if (channelId === undefined) {
    runtime.log.warn(
      { teamId: person.teamId },
      'direct messages for the answer to a press in the home tab could not be opened',
    );
    return;
  }
  const request = { line, actor: { ...person, channelId }, isFresh: false };
  const note = new Note(slack.posting, { teamId: person.teamId, botToken, channelId });
  const answered = await answering.answer(request, note.progress, { botToken, triggerId });
  if (answered && (answered.hasNote || !answered.isSeen)) await note.write({ ...answered.message, line });
}

/** Must match the app's manifest. */
export const explainFailureId = 'explain_failure';

export function createShortcutListener(inbound: Inbound): Middleware<SlackShortcutMiddlewareArgs> {
  const { services, acknowledgements, answering } = inbound;
  const { delivery } = services.slack;
  return async ({ body, ack, context }) => {
    acknowledgements.open(() => ack()).ack();
    const shortcut = readShortcut(readRecord(body), context.teamId);
    const { actor, anchorTs, responseUrl } = shortcut;
    if (!actor) return;
    const { botToken } = context;
    const to = { actor, responseUrl, botToken };
    const chosen = anchorTs === undefined ? noChannelMessage : await executionIn(services, actor, shortcut);
    if (typeof chosen !== 'string') {
      await delivery.deliver(to, chosen, below);
      return;
    }
    const request = { line: `execution ${chosen}`, actor, isFresh: false };
    const answer = await answering.answer(request, delivery.progress(to, 'below'), { botToken, anchorTs });
    if (answer) await delivery.deliver(to, answer.message, below);
  };
}

/** @returns the id of the execution that the message names, or the message that says why there is none */
async function executionIn(
  { runtime, slashCommand, namesIn }: InboundServices,
  actor: Actor,
  { executionId, text }: Shortcut,
): Promise<string | Message> {
  if (executionId !== undefined) return executionId;
  const named = await namesIn(actor, text).catch(asAppError);
  if (named instanceof AppError) {
    const problem = { slashCommand, actor, command: undefined, error: named, line: null, adminIds: [] };
    return problemOf(problem, runtime.log, runtime.createReference);
  }
  const [only, second] = named;
  if (!second) return only?.uuid ?? noExecutionMessage(slashCommand);
  return pickWorkflowMessage({
    typed: 'this message',
    choices: named,
    lineFor: (id: string) => `execution ${id}`,
  });
}
