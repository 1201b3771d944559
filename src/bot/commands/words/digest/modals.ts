/** Modals of `digest`: form, preview, choice and removal. */
import type { KnownBlock } from '@slack/types';
import { chosenMax, type Subscription, type SubscriptionPlan } from '../../../domain/subscription.ts';
import { context } from '../../../views/blocks/blocks.ts';
import {
  type Choice,
  channelInput,
  checkboxesInput,
  choicesOf,
  externalSelectInput,
  multiExternalSelectInput,
  radioInput,
  textInput,
  timeInput,
} from '../../../views/blocks/inputs.ts';
import { type Modal, modalBlocks } from '../../../views/blocks/modal.ts';
import {
  anAdmin,
  bold,
  bulleted,
  channel,
  emoji,
  numbered,
  paragraph,
  plain,
  rich,
  trusted,
} from '../../../views/blocks/rich-text.ts';
import {
  dueText,
  type KnownWorkflows,
  scheduleText,
  whatADigestIs,
  workflowsText,
} from '../../../views/digest/subscription-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { counted } from '../../../views/format/number.ts';
import { zoneName } from '../../../views/format/time.ts';
import { refusalText } from '../../../views/notices/refusal-text.ts';
import type { DigestPreview } from './actions.ts';

export type DigestForm = {
  /** The current or suggested plan. */
  readonly plan: SubscriptionPlan;
  /** Id of the digest to change; undefined for a new one. */
  readonly id?: string | undefined;
  /** The names of the workflows that are chosen. */
  readonly chosen: readonly Choice[];
  /** Number of digests that the channel has already. */
  readonly others?: number;
  /** The admins whom the bot knows, if the workspace has no key, so that no digest can be made. */
  readonly keyFrom?: readonly string[] | undefined;
};

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function digestModal({ plan, id, chosen, others = 0, keyFrom }: DigestForm): Modal {
  const { time, zone } = plan.schedule;
  return {
    title: id === undefined ? 'New digest' : 'Edit the digest',
    submit: { label: 'Preview', command: 'digest' },
    close: 'Cancel',
    carries: { step: 'fill', ...(id !== undefined && { id }) },
    blocks: [
      ...(keyFrom === undefined ? [] : [paragraph(notConnected(keyFrom))]),
      ...(id === undefined ? [paragraph(rich`${trusted(whatADigestIs)}`)] : []),
      ...(others > 0 ? [context([markup`This channel already has ${counted(others, 'digest')}.`])] : []),
      channelInput({ id: 'channel', label: 'Where', hint: inviteHint, initial: plan.channelId }),
      timeInput({ id: 'time', label: 'Time', initial: time }),
      checkboxesInput({
        id: 'weekdays',
        label: 'Days',
        choices: weekdays.map((label, index) => ({ label, value: String(index + 1) })),
        initial: plan.schedule.weekdays.map(String),
      }),
      externalSelectInput({
        id: 'zone',
        label: 'Time zone',
        finds: 'zones',
        placeholder: 'Type a city, such as Berlin',
        initial: { label: zoneName(zone), value: zone },
      }),
      ...workflowInputs(plan, chosen),
      ...optionInputs(plan),
    ],
  };
}

const notConnected = (adminIds: readonly string[]) =>
  rich`${emoji('warning')} This workspace is not connected to an organization. You can set up a digest now. Until ${anAdmin(adminIds)} connects the workspace, no failures are reported; the bot says so once in the digest’s channel.`;
const inviteHint = 'The bot must be in the channel: type /invite there and choose the bot.';

/** Longest text to match workflow names. */
export const textUnitsMax = 100;

function workflowInputs({ workflows }: SubscriptionPlan, chosen: readonly Choice[]): readonly KnownBlock[] {
  return [
    radioInput({
      id: 'which',
      label: 'Workflows',
      choices: choicesOf({ all: 'All', text: 'Name contains…', chosen: 'Chosen below' }),
      initial: workflows.kind,
    }),
    textInput({
      id: 'text',
      label: 'Name contains',
      isOptional: true,
      lengthMax: textUnitsMax,
      placeholder: 'Such as payments',
      ...(workflows.kind === 'text' && { initial: workflows.text }),
    }),
    multiExternalSelectInput({
      id: 'workflows',
      label: `Chosen workflows, at most ${chosenMax}`,
      isOptional: true,
      finds: 'workflows',
      placeholder: 'Find them by name',
      initial: chosen,
      max: chosenMax,
    }),
  ];
}

function optionInputs({ hasAllClear, onUncertain }: SubscriptionPlan): readonly KnownBlock[] {
  return [
    radioInput({
      id: 'allClear',
      label: 'When nothing failed',
      choices: choicesOf({ on: 'Say so in one line', off: 'Post nothing' }),
      initial: hasAllClear ? 'on' : 'off',
    }),
    radioInput({
      id: 'uncertain',
      label: 'If Slack does not confirm a post',
      hint: 'This is rare. The choice matters only if the bot cannot read the channel’s history either.',
      choices: choicesOf({ hold: 'Do not retry', repeat: 'Retry (may post twice)' }),
      initial: onUncertain,
    }),
  ];
}

export type ChoiceForm = {
  readonly word: 'edit' | 'remove';
  /** At least one. */
  readonly subscriptions: readonly Subscription[];
  /** True if they belong to other conversations. */
  readonly isElsewhere: boolean;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

const offeredMax = 10;

export function chooseModal({ word, subscriptions, isElsewhere, slashCommand }: ChoiceForm): Modal {
  const offered = subscriptions.slice(0, offeredMax);
  const left = subscriptions.length - offered.length;
  return {
    title: word === 'edit' ? 'Edit a digest' : 'Remove a digest',
    submit: { label: 'Next', command: 'digest' },
    close: 'Cancel',
    carries: { step: 'choose', word },
    blocks: [
      ...(isElsewhere ? [paragraph(rich`This channel has no digest. Other channels have these.`)] : []),
      radioInput({
        id: 'digest',
        label: 'Which one?',
        choices: offered.map((each) => ({
          label: markup`${{ mrkdwn: `<#${each.channelId}>` }}`,
          description: scheduleText(each.schedule),
          value: each.id,
        })),
        initial: offered[0]?.id ?? '',
      }),
      ...(left > 0
        ? [context([markup`And ${left} more: ${slashCommand} digest list shows all of them, with buttons.`])]
        : []),
    ],
  };
}

export function removeModal(subscription: Subscription, known: KnownWorkflows): Modal {
  const { id, schedule, channelId } = subscription;
  return {
    title: 'Remove the digest',
    submit: { label: 'Remove', command: 'digest' },
    close: 'Cancel',
    carries: { step: 'remove', id },
    blocks: [
      bulleted(
        rich`${emoji('warning')} ${bold(scheduleText(schedule))} in ${channel(channelId)}, ${workflowsText(subscription, known)}`,
        [
          rich`This digest will not be posted any more. One that is due is cancelled, unless the bot has begun to post it.`,
          rich`Posted digests stay in the channel, and 90 days in the list of deliveries.`,
          rich`To stop the digest for a while, pause it instead.`,
        ],
      ),
    ],
  };
}

/** For a workspace without digests. */
export function noneModal(slashCommand: string): Modal {
  const words = rich`This workspace has no digest. ${trusted(whatADigestIs)} ${plain(`${slashCommand} digest`)} sets one up.`;
  return {
    title: 'Digests',
    submit: null,
    close: 'Close',
    blocks: [paragraph(words)],
  };
}

export type PreviewForm = {
  readonly plan: SubscriptionPlan;
  readonly known: KnownWorkflows;
  /** As submitted; saving submits them again. */
  readonly values: object;
  readonly preview: DigestPreview;
  /** True if the person also sees the preview in the channel. */
  readonly isShown: boolean;
};

export function previewModal({ plan, known, values, preview, isShown }: PreviewForm): Modal {
  const { dues, posts, now } = preview;
  const where = rich`${bold(scheduleText(plan.schedule))} in ${channel(plan.channelId)}: ${workflowsText(plan, known)}`;
  return {
    title: 'Preview',
    submit: { label: 'Save', command: 'digest' },
    close: 'Back',
    carries: { step: 'save', filled: JSON.stringify(values) },
    blocks: [
      paragraph(where),
      numbered(
        rich`${bold('Next three posts')}`,
        dues.map((due, index) => dueText(due, plan.schedule, dues[index - 1]?.at ?? now)),
      ),
      { type: 'divider' },
      ...postBlocks(posts, isShown),
    ],
  };
}

function postBlocks(posts: DigestPreview['posts'], isShown: boolean): readonly KnownBlock[] {
  switch (posts.kind) {
    case 'messages': {
      const { length } = posts.replies;
      return [
        context([
          markup`Below is the digest of the last 24 hours, as it would be posted now.`,
          ...(length > 0 ? [markup`In its thread: ${counted(length, 'reply', 'replies')}.`] : []),
          ...(isShown ? [markup`A preview is also in the channel, visible only to you.`] : []),
        ]),
        ...modalBlocks(posts.root.blocks),
      ];
    }
    case 'nothing':
      return [
        paragraph(rich`${emoji('white_check_mark')} Nothing failed in the last 24 hours, so nothing would be posted.`),
      ];
    case 'problem':
      return [
        paragraph(rich`${emoji('warning')} There is no preview: ${plain(posts.sentence, 600)}`),
        paragraph(
          rich`You can save the digest without a preview. If the bot cannot read the failures when the digest is due, the digest says so.`,
        ),
      ];
  }
}

/** The error beside the channel input. @param error Slack's error code */
export function refusedChannelText(error: string): string {
  switch (error) {
    case 'not_in_channel':
    case 'channel_not_found':
      return 'The bot is not in this conversation. Type /invite in it, choose the bot, and press Preview again.';
    case 'user_not_in_channel':
      return 'You are not in this channel. Join it, or ask one of its members to set this up.';
    default: {
      const { reason, step } = refusalText(error);
      return `The bot could not post there: ${reason}. ${step}`;
    }
  }
}
