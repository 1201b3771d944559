/**
 * Handles a button or menu that carries a command line, and the shortcut of a message: acknowledges at once, answers as the
 * action id says.
 */

import { hash } from 'node:crypto';
import type { Middleware, SlackActionMiddlewareArgs, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { AppError } from '../../../../shared/errors.ts';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import type { MessageAnswer } from '../../../commands/framework/command.ts';
import { asAppError, problemOf } from '../../../commands/framework/problem.ts';
import type { NamesIn } from '../../../commands/lookup/menu-search.ts';
import type { Actor, Person } from '../../../domain/person.ts';
import type { CommandMode } from '../../../views/blocks/command-button.ts';
import { pickWorkflowMessage } from '../../../views/notices/pick.ts';
import type { Delivery, Destination } from '../../outbound/delivery/delivery.ts';
import {
  maybeSharedMessage,
  noChannelMessage,
  noExecutionMessage,
  notSharedMessage,
  outdatedButtonMessage,
} from '../../outbound/delivery/notices.ts';
import { fullPayload, type Placement } from '../../outbound/delivery/payload.ts';
import type { Posting } from '../../outbound/delivery/posting.ts';
import { createNote, createProgress } from '../../outbound/delivery/progress.ts';
import type { Respond } from '../../outbound/delivery/respond.ts';
import { newMessage, sharedMessage, sharedNotice, visibleMessage } from '../../outbound/delivery/share.ts';
import type { Acknowledgements } from '../middleware/acknowledgement.ts';
import { createDeduplicator, type Deduplicator, type TakeLease } from '../middleware/deduplicate.ts';
import { type PressedMessage, readClick, readShortcut } from '../middleware/read-payload.ts';
import type { Answered, Answering } from './answering.ts';
import type { HomeTab } from './home-tab.ts';

export type ActionListenerDeps = {
  readonly answer: Answering;
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
  readonly respond: Respond;
  readonly posting: Posting;
  readonly log: Logger;
  readonly clock: Clock;
  readonly slashCommand: string;
  /** Takes the lease of a shared answer. */
  readonly takeLease: TakeLease;
  /** Undefined without a Home tab. */
  readonly homeTab: HomeTab | undefined;
};

/** A press, with everything that an answer needs. */
type Press = {
  readonly actor: Actor;
  readonly line: string;
  readonly message: PressedMessage | undefined;
  readonly triggerId: string | undefined;
  readonly to: Destination;
};

const below: Placement = { kind: 'new', visibility: 'ephemeral' };

export function createActionListener(deps: ActionListenerDeps): Middleware<SlackActionMiddlewareArgs> {
  const shared = createDeduplicator(deps.clock);
  return async ({ body, payload, ack, context }) => {
    deps.acknowledgements.open(() => ack()).ack();
    const { botToken } = context;
    const click = readClick(readRecord(body), readRecord(payload), context.teamId);
    const { actor, atHome: person, line, mode, message, responseUrl, triggerId } = click;
    if (person && mode && line !== undefined && botToken !== undefined) {
      if (mode === 'refresh') await deps.homeTab?.renew(person, botToken, true);
      else await pressAtHome(deps, { person, line, botToken, triggerId });
      return;
    }
    if (!actor || !mode || line === undefined) {
      const notice = actor ? outdatedButtonMessage(deps.slashCommand) : noChannelMessage();
      await deps.respond(responseUrl, fullPayload(notice, below));
      return;
    }
    const press: Press = { actor, line, message, triggerId, to: { actor, responseUrl, botToken } };
    await run(deps, mode, press, shared);
  };
}

async function run(deps: ActionListenerDeps, mode: CommandMode, press: Press, shared: Deduplicator): Promise<void> {
  switch (mode) {
    case 'open':
      return open(deps, press);
    case 'replace':
      return replace(deps, press, false);
    case 'refresh':
      return replace(deps, press, true);
    case 'share':
      return share(deps, press, shared);
  }
}

/**
 * Places a thread under the pressed message if the channel sees that message.
 * @returns undefined if a modal shows the answer
 */
async function dispatch(
  deps: ActionListenerDeps,
  { line, actor, message, triggerId, to }: Press,
  { isFresh = false, noteWhere = 'below', takesFiles = true }: PressOptions = {},
): Promise<Answered | undefined> {
  const anchorTs = message?.visibility === 'channel' ? (message.threadTs ?? message.ts) : undefined;
  const progress = deps.delivery.progress(to, noteWhere);
  const context = { botToken: to.botToken, anchorTs, takesFiles, triggerId };
  const answer = await deps.answer({ line, actor, isFresh }, progress.show, context);
  await progress.end();
  return answer;
}

type PressOptions = {
  readonly isFresh?: boolean;
  readonly noteWhere?: 'in_place' | 'below';
  readonly takesFiles?: boolean;
};

async function open(deps: ActionListenerDeps, press: Press): Promise<void> {
  const { message, to } = press;
  const answer = await dispatch(deps, press);
  if (!answer || answer.isSeen) return;
  const placement = { kind: 'new', visibility: answer.visibility, threadTs: threadOf(message, answer) } as const;
  await deps.delivery.deliver(to, newMessage(answer), placement);
}

/** If the root of a thread was pressed in the channel, an answer for one person stays in the channel. */
function threadOf(message: Press['message'], { visibility }: MessageAnswer): string | undefined {
  const isRoot = message !== undefined && message.threadTs === message.ts;
  return isRoot && visibility === 'ephemeral' ? undefined : message?.threadTs;
}

/** A message that the whole channel sees is never replaced by an error for one person. */
async function replace(deps: ActionListenerDeps, press: Press, isFresh: boolean): Promise<void> {
  const { message, to } = press;
  const visibility = message?.visibility ?? 'ephemeral';
  const noteWhere = message && visibility === 'ephemeral' ? 'in_place' : 'below';
  // A refresh does not send the same file again, and a channel needs no note that one person got a file.
  const takesFiles = !isFresh && visibility === 'ephemeral';
  const answer = await dispatch(deps, press, { isFresh, noteWhere, takesFiles });
  if (!answer) return;
  if (!message || (visibility === 'channel' && answer.isProblem)) {
    await deps.delivery.deliver(to, answer.message, below);
    return;
  }
  const shown = visibility === 'channel' ? visibleMessage(answer.message, message.sharedBy) : answer.message;
  await deps.delivery.deliver(to, shown, { kind: 'replace', visibility });
}

/** Posts one message in the channel for each press: a second press before the button disappears does nothing. */
async function share(deps: ActionListenerDeps, press: Press, shared: Deduplicator): Promise<void> {
  const { actor, message, line } = press;
  const { teamId } = actor;
  const key = `${teamId}:${actor.channelId}:${message?.ts}:${line}`;
  if (!shared.isFirst(key)) return;
  const lease = await deps.takeLease(teamId, `share ${hash('sha256', key)}`);
  if (!lease || (await shareOnce(deps, press))) return;
  shared.forget(key);
  await lease.release();
}

/** @returns false if the person may press again */
async function shareOnce(deps: ActionListenerDeps, press: Press): Promise<boolean> {
  const { actor, message, to } = press;
  const answer = await dispatch(deps, press, { takesFiles: false });
  if (!answer) return true;
  if (answer.isProblem) {
    await deps.delivery.deliver(to, answer.message, below);
    return false;
  }
  const placement = { kind: 'new', visibility: 'channel', threadTs: message?.threadTs } as const;
  const outcome = await deps.delivery.deliver(to, sharedMessage(answer.message, actor.userId), placement, true);
  if (outcome === 'failed') await deps.delivery.deliver(to, notSharedMessage(), below);
  if (outcome === 'uncertain') await deps.delivery.deliver(to, maybeSharedMessage(), below);
  if (outcome === 'delivered' && message?.visibility === 'ephemeral')
    await deps.delivery.deliver(to, sharedNotice(), { kind: 'replace', visibility: 'ephemeral' });
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
async function pressAtHome({ answer, posting, log }: ActionListenerDeps, press: HomePress): Promise<void> {
  const { person, line, botToken, triggerId } = press;
  const channelId = await posting.directChannel(botToken, person.userId);
  if (channelId === undefined) {
    log.warn(
      { teamId: person.teamId },
      'direct messages for the answer to a press in the home tab could not be opened',
    );
    return;
  }
  const request = { line, actor: { ...person, channelId }, isFresh: false };
  const note = createNote(posting, { teamId: person.teamId, botToken, channelId });
  const progress = createProgress({ carry: note.write, notesMax: Number.POSITIVE_INFINITY });
  const answered = await answer(request, progress.show, { botToken, triggerId });
  const hasNote = await progress.end();
  if (answered && (hasNote || !answered.isSeen)) await note.write({ ...answered.message, line });
}

/** Must match the app's manifest. */
export const explainFailureId = 'explain_failure';

export type ShortcutListenerDeps = {
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly log: Logger;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
  readonly answer: Answering;
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
  readonly namesIn: NamesIn;
};

export function createShortcutListener(deps: ShortcutListenerDeps): Middleware<SlackShortcutMiddlewareArgs> {
  return async ({ body, ack, context }) => {
    deps.acknowledgements.open(() => ack()).ack();
    const { actor, executionId, text, anchorTs, responseUrl } = readShortcut(readRecord(body), context.teamId);
    if (!actor) return;
    const to = { actor, responseUrl, botToken: context.botToken };
    const placement = { kind: 'new', visibility: 'ephemeral' } as const;
    if (anchorTs === undefined) {
      await deps.delivery.deliver(to, noChannelMessage(), placement);
      return;
    }
    const named = executionId === undefined ? await deps.namesIn(actor, text).catch(asAppError) : [];
    if (named instanceof AppError) {
      const problem = problemOf(
        { slashCommand: deps.slashCommand, actor, command: undefined, error: named, line: null, adminIds: [] },
        deps.log,
        deps.createReference,
      );
      await deps.delivery.deliver(to, problem, placement);
      return;
    }
    const [only, second] = named;
    const uuid = executionId ?? (second ? undefined : only?.uuid);
    if (uuid === undefined) {
      const pick = { typed: 'this message', choices: named, lineFor: (id: string) => `execution ${id}` };
      await deps.delivery.deliver(to, second ? pickWorkflowMessage(pick) : noExecutionMessage(), placement);
      return;
    }
    const request = { line: `execution ${uuid}`, actor, isFresh: false };
    const progress = deps.delivery.progress(to, 'below');
    const answer = await deps.answer(request, progress.show, { botToken: context.botToken, anchorTs });
    await progress.end();
    if (answer) await deps.delivery.deliver(to, answer.message, placement);
  };
}
