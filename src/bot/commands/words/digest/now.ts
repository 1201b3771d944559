/** `digest now`: that it is on its way, or why nothing can be posted there and what to do about it. */
import type { RichTextElement } from '@slack/types';
import { pausedByPerson, type Subscription } from '../../../domain/subscription.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import { commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, channel, emoji, moment, ours, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';
import { say } from '../../../views/format/mrkdwn.ts';
import { refusalWords } from '../../../views/notices/refusal-words.ts';

const reasonUnitsMax = 160;

export type OnItsWay = {
  readonly subscription: Subscription;
  /** False where one was asked for within the same minute. */
  readonly isNew: boolean;
  /** Whether the channel took nothing before, and does now. */
  readonly isMended: boolean;
};

export function onItsWayMessage({ subscription, isNew, isMended }: OnItsWay): Message {
  const { channelId } = subscription;
  const sentence = isNew
    ? rich`A digest of the last 24 hours is on its way to ${channel(channelId)}, where everybody sees it.`
    : rich`A digest was asked for within the last minute, and is on its way to ${channel(channelId)}.`;
  return message([
    paragraph(
      rich`${emoji('hourglass_flowing_sand')} ${sentence}${isMended ? [] : pauseWords(subscription)} Press ${bold('Deliveries')} to see what became of it.`,
    ),
    actions([commandButton({ label: 'Deliveries', line: 'deliveries', mode: 'open' })]),
  ]);
}

/** What may keep it all the same, or comes after it. */
function pauseWords({ pause }: Subscription): readonly RichTextElement[] {
  if (pause === null) return [];
  if (pause.reason === pausedByPerson) return rich` The digest itself stays paused.`;
  const { reason, step } = refusalWords(pause.reason);
  return rich` Since ${moment(pause.at)} its digests fail: ${plain(reason, reasonUnitsMax)}. ${ours(step)}`;
}

/** In the channel, for whoever has asked. */
export function comingMessage(): Message {
  return message([context([say`A digest of the last 24 hours comes here now. You alone see this line.`])]);
}

/** @param error Slack's word, or ours, of this moment */
export function refusedMessage({ id, channelId, nextDue }: Subscription, error: string): Message {
  const { reason, step } = refusalWords(error);
  const next = nextDue ? rich` It is tried by itself, too, when the digest is due: next ${moment(nextDue.at)}.` : [];
  return message([
    paragraph(
      rich`${emoji('warning')} ${bold('Not posted')} in ${channel(channelId)}: ${plain(reason, reasonUnitsMax)}.`,
    ),
    paragraph(rich`${ours(step)}${next}`),
    actions([
      commandButton({ label: 'Try again', line: `digest now ${id}`, mode: 'open' }),
      commandButton({ label: 'All digests', line: 'digest list', mode: 'open' }),
    ]),
  ]);
}
