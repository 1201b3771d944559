/** What a digest comes to, before it is saved: its next times, and the message itself. */
import type { KnownBlock } from '@slack/types';
import type { Due, Schedule } from '../../../domain/schedule.ts';
import type { SubscriptionPlan } from '../../../domain/subscription.ts';
import { context } from '../../../views/blocks/blocks.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Modal } from '../../../views/blocks/modal.ts';
import { modalBlocks } from '../../../views/blocks/modal-blocks.ts';
import { bold, channel, emoji, numbered, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';
import {
  dueWords,
  type KnownWorkflows,
  scheduleText,
  workflowsWords,
} from '../../../views/digest/subscription-words.ts';
import { say } from '../../../views/format/mrkdwn.ts';
import { counted } from '../../../views/format/number.ts';
import { refusalWords } from '../../../views/notices/refusal-words.ts';

export type PreviewForm = {
  readonly plan: SubscriptionPlan;
  readonly known: KnownWorkflows;
  readonly id: string | undefined;
  readonly preview: {
    readonly dues: readonly Due[];
    readonly posts: Posts;
    readonly now: number;
  };
  /** Whether the person sees it in the channel, too, as it will look there. */
  readonly isShown: boolean;
};

type Posts =
  | { readonly kind: 'messages'; readonly root: Message; readonly replies: readonly unknown[] }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly sentence: string };

export function previewModal({ plan, known, id, preview, isShown }: PreviewForm): Modal {
  const { dues, posts, now } = preview;
  const where = rich`${bold(scheduleText(plan.schedule))} in ${channel(plan.channelId)}: ${workflowsWords(plan, known)}`;
  return {
    title: 'Preview',
    submit: { label: 'Save', command: 'digest' },
    close: 'Back',
    carries: { step: 'save', ...(id !== undefined && { id }), plan: JSON.stringify(keptOf(plan)) },
    blocks: [
      paragraph(where),
      numbered(rich`${bold('The next three times')}`, dueLines(dues, plan.schedule, now)),
      { type: 'divider' },
      ...postBlocks(posts, isShown),
    ],
  };
}

/** Of a subscription no more than what can be planned. */
function keptOf({ channelId, schedule, workflows, hasAllClear, onUncertain }: SubscriptionPlan): SubscriptionPlan {
  return { channelId, schedule, workflows, hasAllClear, onUncertain };
}

function dueLines(dues: readonly Due[], schedule: Schedule, now: number) {
  return dues.map((due, index) => dueWords(due, schedule, dues[index - 1]?.at ?? now));
}

function postBlocks(posts: Posts, isShown: boolean): readonly KnownBlock[] {
  switch (posts.kind) {
    case 'messages': {
      const { length } = posts.replies;
      return [
        context([
          say`What it would post now, of the last 24 hours.`,
          ...(length > 0 ? [say`In its thread: ${counted(length, 'reply', 'replies')}.`] : []),
          ...(isShown ? [say`You alone see it in the channel, too, as it will look there.`] : []),
        ]),
        ...modalBlocks(posts.root.blocks),
      ];
    }
    case 'nothing':
      return [
        paragraph(rich`${emoji('white_check_mark')} Nothing failed in the last 24 hours: now it would post nothing.`),
      ];
    case 'problem':
      return [
        paragraph(rich`${emoji('warning')} There is no preview: ${plain(posts.sentence, 600)}`),
        paragraph(
          rich`It can be saved all the same. While the bot cannot look, a digest says so instead of an all-clear.`,
        ),
      ];
  }
}

/** Beside the channel, before anything is saved. @param error Slack's word */
export function unseenText(error: string): string {
  switch (error) {
    case 'not_in_channel':
    case 'channel_not_found':
      return 'The bot is not in this conversation. Type /invite in it, choose the bot, and press Preview again.';
    case 'user_not_in_channel':
      return 'You are not in this channel. Join it, or let somebody set this up who is.';
    default: {
      const { reason, step } = refusalWords(error);
      return `Slack takes no message there: ${reason}. ${step}`;
    }
  }
}
