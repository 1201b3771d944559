/** Inputs in which people, channels or one of a few ways are chosen. */
import type { InputBlock, RadioButtons } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import type { Markup } from '../format/mrkdwn.ts';
import { type Choice, type Input, inputBlock, optionOf, valueAction } from './inputs.ts';

export type IdsInput = Input & {
  /** Slack's ids. */
  readonly initial: readonly string[];
  readonly max: number;
};

export function usersInput({ initial, max, ...input }: IdsInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_users_select',
    action_id: valueAction,
    max_selected_items: max,
    ...(initial.length > 0 && { initial_users: [...initial] }),
  });
}

/** Public ones, and private ones that the person who chooses is in. */
export function channelsInput({ initial, max, ...input }: IdsInput): InputBlock {
  return inputBlock(input, {
    type: 'multi_conversations_select',
    action_id: valueAction,
    max_selected_items: max,
    filter: { include: ['public', 'private'], exclude_bot_users: true },
    ...(initial.length > 0 && { initial_conversations: [...initial] }),
  });
}

export type RadioInput = Input & {
  /** From 1 to 10. */
  readonly choices: readonly Choice[];
  /** The value of one of them. */
  readonly initial: string;
};

/** Every way in sight, one of them taken. */
export function radioInput({ choices, initial, ...input }: RadioInput): InputBlock {
  return radioBlock(input, choices.map(optionOf), initial);
}

export type MarkupRadioInput = Input & {
  /** From 1 to 10; Slack takes markup in them. */
  readonly choices: readonly { readonly label: Markup; readonly description: string; readonly value: string }[];
  /** The value of one of them. */
  readonly initial: string;
};

/** As `waysInput`, of ways that a word alone does not name: a channel, say. */
export function markupRadioInput({ choices, initial, ...input }: MarkupRadioInput): InputBlock {
  const options = choices.map(({ label, ...choice }) => ({
    ...optionOf({ ...choice, label: '' }),
    text: { type: 'mrkdwn' as const, text: label.mrkdwn, verbatim: true },
  }));
  return radioBlock(input, options, initial);
}

function radioBlock(input: Input, all: RadioButtons['options'], initial: string): InputBlock {
  const options = all.slice(0, limits.choice.optionsMax);
  const taken = options.find(({ value }) => value === initial);
  return inputBlock(input, {
    type: 'radio_buttons',
    action_id: valueAction,
    options,
    ...(taken && { initial_option: taken }),
  });
}

export type ChannelInput = Input & {
  /** Slack's id. */
  readonly initial?: string;
};

/** One conversation in which something can be posted; among direct messages those with the bot. */
export function channelInput({ initial, ...input }: ChannelInput): InputBlock {
  return inputBlock(input, {
    type: 'conversations_select',
    action_id: valueAction,
    filter: { include: ['public', 'private', 'im'] },
    ...(initial !== undefined && { initial_conversation: initial }),
  });
}

export type TimeInput = Input & {
  /** Such as `09:00`. */
  readonly initial: string;
};

/** A time of day. */
export function timeInput({ initial, ...input }: TimeInput): InputBlock {
  return inputBlock(input, { type: 'timepicker', action_id: valueAction, initial_time: initial });
}
