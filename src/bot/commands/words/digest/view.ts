/** Messages of `digest`: the list, choices, confirmations and refusals. */
import type { Button, KnownBlock, RichTextElement } from '@slack/types';
import { limits } from '../../../../shared/block-kit/limits.ts';
import { pausedByPerson, type Subscription } from '../../../domain/subscription.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { commandButton, pageActions } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, channel, code, date, emoji, paragraph, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import {
  type KnownWorkflows,
  scheduleText,
  stateMark,
  stateText,
  whatADigestIs,
  workflowsText,
} from '../../../views/digest/subscription-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { counted } from '../../../views/format/number.ts';
import { adminLine } from '../../../views/notices/problem.ts';
import { refusalText } from '../../../views/notices/refusal-text.ts';

const openButton = (label: string, line: string) => commandButton({ label, line, mode: 'open' });
const newButton = openButton('New digest', 'digest');
const listButton = openButton('All digests', 'digest list');
const deliveriesButton = openButton('Deliveries', 'deliveries');

export type DigestList = {
  /** All of the workspace. */
  readonly subscriptions: readonly Subscription[];
  /** Names of the chosen workflows. */
  readonly known: KnownWorkflows;
  /** From 1. */
  readonly page: number;
  /** The admins whom the bot knows, if a digest waits for an API key; otherwise empty. */
  readonly adminIds: readonly string[];
};

const pageSize = 8;

export function digestListMessage({ subscriptions, known, page, adminIds }: DigestList): Message {
  if (subscriptions.length === 0) return noneMessage();
  const from = (page - 1) * pageSize;
  const shown = subscriptions.slice(from, from + pageSize);
  const hasMore = from + pageSize < subscriptions.length;
  const which = hasMore || page > 1 ? `: ${from + 1} to ${from + shown.length}` : '';
  const lineFor = (to: number) => `digest list --page ${to}`;
  const pageButtons = pageActions({ page, hasMore, isEmpty: shown.length === 0, lineFor });
  const heading = rich`${bold(counted(subscriptions.length, 'digest'))} in this workspace${shown.length === 0 ? rich`; there is no page ${page}` : rich`${trusted(which)}`}`;
  return message([
    paragraph(heading),
    ...shown.flatMap((subscription) => [
      paragraph(digestWords(subscription, known)),
      actions([...digestButtons(subscription)]),
    ]),
    ...adminLine(adminIds),
    actions([...pageButtons, newButton, deliveriesButton]),
  ]);
}

/** One digest in one to three lines. */
function digestWords(subscription: Subscription, known: KnownWorkflows): readonly RichTextElement[] {
  return rich`${stateMark(subscription)}${unmarkedWords(subscription, known)}`;
}

function unmarkedWords(subscription: Subscription, known: KnownWorkflows): readonly RichTextElement[] {
  const { channelId, schedule, hasAllClear } = subscription;
  const quiet = hasAllClear ? [] : rich`, no message when nothing failed`;
  return rich`${channel(channelId)} ${bold(scheduleText(schedule))}\nCovers ${workflowsText(subscription, known)}${quiet} · ${stateText(subscription)}`;
}

function digestButtons({ id, pause }: Subscription): readonly Button[] {
  const isPaused = pause?.reason === pausedByPerson;
  return [
    openButton('Edit', `digest edit ${id}`),
    isPaused ? openButton('Resume', `digest resume ${id}`) : openButton('Pause', `digest pause ${id}`),
    openButton('Post now', `digest now ${id}`),
    openButton('Remove', `digest remove ${id}`),
  ];
}

/** For a workspace without digests. */
export function noneMessage(): Message {
  return message([paragraph(rich`This workspace has no digest. ${trusted(whatADigestIs)}`), actions([newButton])]);
}

export type DigestChoice = {
  /** The sub-word that is run with the chosen one. */
  readonly word: string;
  readonly subscriptions: readonly Subscription[];
  readonly known: KnownWorkflows;
  readonly isElsewhere: boolean;
};

const wordTexts: Readonly<Record<string, string>> = { pause: 'Pause', resume: 'Resume', now: 'Post now' };
const choicesMax = 8;

/** Asks which of several digests is meant. */
export function chooseMessage({ word, subscriptions, known, isElsewhere }: DigestChoice): Message {
  const shown = subscriptions.slice(0, choicesMax);
  const left = subscriptions.length - shown.length;
  const why = isElsewhere ? rich`This channel has no digest. Which one do you mean?` : rich`Which one do you mean?`;
  return message([
    paragraph(why),
    ...shown.flatMap((subscription): KnownBlock[] => [
      paragraph(digestWords(subscription, known)),
      actions([openButton(wordTexts[word] ?? word, `digest ${word} ${subscription.id}`)]),
    ]),
    ...(left > 0 ? [paragraph(rich`And ${left} more.`), actions([listButton])] : []),
  ]);
}

/** The preview in the channel, which only the person who sets it up sees, before anything is saved. */
export function shownMessage(posts: { readonly kind: string; readonly root?: Message }): Message {
  const { root } = posts;
  if (!root)
    return message([context([markup`Digests would be posted here. Only you see this, and nothing is saved yet.`])]);
  const above = context([markup`Preview of a digest. Only you see it, and nothing is saved yet.`]);
  return message([above, ...root.blocks].slice(0, limits.message.blocksMax));
}

export type Saved = {
  readonly saved: Subscription;
  readonly known: KnownWorkflows;
  readonly isNew: boolean;
  readonly slashCommand: string;
};

export function savedMessage({ saved, known, isNew, slashCommand }: Saved): Message {
  const done = isNew ? 'Digest set up' : 'Digest changed';
  return message([
    paragraph(rich`${emoji('white_check_mark')} ${bold(done)}\n${digestWords(saved, known)}`),
    ...(saved.pause?.reason === pausedByPerson
      ? [paragraph(rich`It is not posted until it is resumed: ${code(`${slashCommand} digest resume`)}.`)]
      : []),
    actions([openButton('Post now', `digest now ${saved.id}`), listButton]),
  ]);
}

export function pausedMessage(subscription: Subscription, known: KnownWorkflows, before: Subscription): Message {
  const done = before.pause?.reason === pausedByPerson ? 'Already paused' : 'Paused';
  const words = rich`${emoji('double_vertical_bar')} ${bold(done)}\n${unmarkedWords(subscription, known)}\nA digest that is due is cancelled, unless the bot has begun to post it.`;
  return message([paragraph(words), actions([openButton('Resume', `digest resume ${subscription.id}`), listButton])]);
}

export function resumedMessage(subscription: Subscription, known: KnownWorkflows, before: Subscription): Message {
  const done = before.pause ? rich`${emoji('white_check_mark')} ${bold('Resumed')}` : rich`This digest was not paused.`;
  return message([
    paragraph(rich`${done}\n${digestWords(subscription, known)}`),
    actions([openButton('Pause', `digest pause ${subscription.id}`), listButton]),
  ]);
}

/** @param subscription as it was */
export function removedMessage({ channelId, schedule }: Subscription): Message {
  const words = rich`${emoji('wastebasket')} ${bold('Digest removed')}: ${channel(channelId)} ${bold(scheduleText(schedule))}`;
  return message([paragraph(words), actions([listButton])]);
}

/** For a digest that another person removed meanwhile. */
export function goneMessage(): Message {
  return message([
    paragraph(rich`${emoji('mag')} That digest is not there any more: it was removed.`),
    actions([listButton]),
  ]);
}

const reasonUnitsMax = 160;

export type OnItsWay = {
  readonly subscription: Subscription;
  /** False if one was requested within the same minute. */
  readonly isNew: boolean;
  /** True if the channel refused posts before, and accepts them now. */
  readonly isMended: boolean;
};

export function onItsWayMessage({ subscription, isNew, isMended }: OnItsWay): Message {
  const { channelId } = subscription;
  const sentence = isNew
    ? rich`Posting a digest of the last 24 hours to ${channel(channelId)}, visible to everyone there.`
    : rich`A digest for ${channel(channelId)} was requested a moment ago, so no second one is made.`;
  const words = rich`${emoji('hourglass_flowing_sand')} ${sentence}${isMended ? [] : pauseWords(subscription)} Press ${bold('Deliveries')} to see if it was posted.`;
  return message([paragraph(words), actions([deliveriesButton])]);
}

/** Mentions a pause or an earlier failure of the digest. */
function pauseWords({ pause }: Subscription): readonly RichTextElement[] {
  if (pause === null) return [];
  if (pause.reason === pausedByPerson) return rich` The schedule stays paused.`;
  const { reason, step } = refusalText(pause.reason);
  return rich` Scheduled posts have failed since ${date(pause.at)}: ${plain(reason, reasonUnitsMax)}. ${trusted(step)}`;
}

/** Ephemeral, in the channel of the digest. */
export function comingMessage(): Message {
  return message([
    context([markup`A digest of the last 24 hours will be posted here shortly. Only you see this line.`]),
  ]);
}

/** @param error the current error code of Slack or of the bot */
export function refusedMessage({ id, channelId, nextDue }: Subscription, error: string): Message {
  const { reason, step } = refusalText(error);
  const next = nextDue ? rich` The bot also tries again when the digest is due: next ${date(nextDue.at)}.` : [];
  return message([
    paragraph(
      rich`${emoji('warning')} ${bold('Not posted')} in ${channel(channelId)}: ${plain(reason, reasonUnitsMax)}.`,
    ),
    paragraph(rich`${trusted(step)}${next}`),
    actions([openButton('Try again', `digest now ${id}`), listButton]),
  ]);
}
