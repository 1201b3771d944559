/** Which channels get a digest, in the Home: when, when next, and what keeps it. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Subscription } from '../../domain/subscription.ts';
import { actions } from '../blocks/blocks.ts';
import { commandButton } from '../blocks/command-button.ts';
import { bold, bulleted, channel, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { aboutText, type KnownWorkflows, scheduleText, stateMark, stateText } from '../digest/subscription-text.ts';
import { counted } from '../format/number.ts';

export type HomeDigests = {
  readonly subscriptions: readonly Subscription[];
  /** The workflows that they chose. */
  readonly known: KnownWorkflows;
  /** Whether this person may set them up and change them. */
  readonly mayChange: boolean;
};

/** The others are counted. */
const shownMax = 6;

export function digestBlocks({ subscriptions, known, mayChange }: HomeDigests): readonly KnownBlock[] {
  const newDigest = commandButton({ label: 'New digest', line: 'digest', mode: 'open' });
  if (subscriptions.length === 0) {
    const who = mayChange ? rich`Set one up for your team’s channel.` : rich`An operator of this bot can set one up.`;
    return [
      paragraph(
        rich`${bold('Digests')}: no channel gets one yet. A digest tells it every morning what failed, why, and what is new. ${who}`,
      ),
      ...(mayChange ? [actions([newDigest])] : []),
    ];
  }
  const left = subscriptions.length - shownMax;
  return [
    bulleted(rich`${bold('Digests')}`, [
      ...subscriptions.slice(0, shownMax).map((each) => digestWords(each, known)),
      ...(left > 0 ? [rich`and ${trusted(counted(left, 'more digest'))}`] : []),
    ]),
    ...(mayChange
      ? [
          actions([
            commandButton({ label: 'All digests', line: 'digest list', mode: 'open' }),
            newDigest,
            commandButton({ label: 'Deliveries', line: 'deliveries', mode: 'open' }),
          ]),
        ]
      : []),
  ];
}

function digestWords(subscription: Subscription, known: KnownWorkflows): readonly RichTextElement[] {
  const { channelId, schedule } = subscription;
  return rich`${stateMark(subscription)}${channel(channelId)} ${trusted(scheduleText(schedule))}${aboutText(subscription, known)}: ${stateText(subscription)}`;
}
