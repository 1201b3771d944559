/** View of `deliveries`: the outbox of digests, newest first, with the state of each occurrence and the reason of a failure. */
import type { KnownBlock } from '@slack/types';
import { type ChosenWorkflows, deliveriesKeptDays } from '../../../domain/subscription.ts';
import { actions } from '../../../views/blocks/blocks.ts';
import { commandButton, cursorActions } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  channel,
  date,
  emoji,
  paragraph,
  plain,
  rich,
  trusted,
  type Words,
} from '../../../views/blocks/rich-text.ts';
import { aboutText, type KnownWorkflows } from '../../../views/digest/subscription-text.ts';
import { counted } from '../../../views/format/number.ts';
import { attemptReason } from '../../../views/notices/refusal-text.ts';

type DeliveryMessage = {
  readonly name: string;
  readonly state: 'waiting' | 'intent' | 'unknown' | 'uncertain' | 'sent' | 'dead';
  readonly attempts: number;
  readonly error: string | null;
};

export type Delivery = {
  readonly key: { readonly occurrenceId: string };
  readonly channelId: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly isLate: boolean;
  /** Its workflows; undefined if the digest was removed. */
  readonly workflows: ChosenWorkflows | undefined;
  /** Names of the chosen workflows. */
  readonly known: KnownWorkflows;
  readonly state: 'due' | 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';
  readonly attempts: number;
  readonly error: string | null;
  /** Why the digest could not read failures; null if it could. */
  readonly checkError: string | null;
  readonly nextAt: number | null;
  /** The root first. */
  readonly messages: readonly DeliveryMessage[];
  /** Permalink of the root, if it was posted and Slack returns one. */
  readonly link: string | undefined;
};

export type DeliveriesView = {
  /** Newest first. */
  readonly entries: readonly Delivery[];
  readonly isNewest: boolean;
  /** Cursor of the next page; null if there is none. */
  readonly next: string | null;
};

export function deliveriesMessage({ entries, isNewest, next }: DeliveriesView): Message {
  if (entries.length === 0) {
    const words = isNewest
      ? rich`No digest was due in the last ${deliveriesKeptDays} days.`
      : rich`There are no older entries of the last ${deliveriesKeptDays} days.`;
    return message([paragraph(words), ...buttons(isNewest, null)]);
  }
  return message([
    bulleted(rich`${bold('Deliveries')} of digests, newest first`, entries.map(entryWords)),
    ...buttons(isNewest, next),
  ]);
}

function buttons(isNewest: boolean, next: string | null): readonly KnownBlock[] {
  return [
    actions([
      ...cursorActions({ line: 'deliveries', isNewest, before: next === null ? undefined : `"${next}"` }),
      ...(isNewest ? [commandButton({ label: 'Refresh', line: 'deliveries', mode: 'refresh' })] : []),
      commandButton({ label: 'All digests', line: 'digest list', mode: 'open' }),
    ]),
  ];
}

/** Names per line. */
const namesMax = 1;

function entryWords(entry: Delivery): Words {
  const { channelId, dueAt, isLate, state, workflows, known, link } = entry;
  const { occurrenceId } = entry.key;
  // A scheduled occurrence is named by its local date and time; any other one was requested.
  const which = /^\d{4}-\d{2}-\d{2}T/.test(occurrenceId) ? occurrenceId.replace('T', ' ') : 'On request';
  const tries = Math.max(entry.attempts + 1, ...entry.messages.map((message) => message.attempts));
  // An occurrence that is due, missed or cancelled may have ended with a release, which counts its attempt already.
  const attempts =
    tries > 1 && ['posted', 'quiet', 'dead'].includes(state) ? rich`, ${trusted(counted(tries, 'attempt'))}` : [];
  const late = isLate && state !== 'missed' ? rich` (late)` : [];
  const about = workflows === undefined ? [] : aboutText({ workflows }, known, namesMax);
  const open = link === undefined ? [] : rich` ${{ type: 'link', url: link, text: 'Open it' }}.`;
  return rich`${emoji(markOf(entry))} ${bold(which)}${late} in ${channel(channelId)}${about}, due ${date(dueAt)}: ${stateWords(entry)}${attempts}.${open}`;
}

function markOf({ state, messages, checkError }: Delivery): string {
  switch (state) {
    case 'due':
      return 'hourglass_flowing_sand';
    case 'posted':
      return checkError === null && messages.every((message) => message.state === 'sent')
        ? 'white_check_mark'
        : 'warning';
    case 'quiet':
      return 'white_circle';
    case 'missed':
    case 'cancelled':
      return 'no_entry_sign';
    case 'dead':
      return 'x';
  }
}

function stateWords(entry: Delivery): Words {
  const { state, messages, error, checkError, workflows } = entry;
  const reason = error === null ? [] : rich`: ${plain(attemptReason(error), 160)}`;
  switch (state) {
    case 'due':
      return dueWords(entry);
    case 'posted':
      if (checkError === null) return postedWords(messages);
      // It says only that it could not read the failures.
      return rich`${postedWords(messages)}, but the digest ${bold('could not check')} for failures: ${plain(attemptReason(checkError), 160)}`;
    case 'quiet':
      return rich`nothing failed, so nothing was posted`;
    case 'missed':
      return rich`skipped${reason}${workflows === undefined ? [] : rich`; the next digest says so`}`;
    case 'cancelled':
      // Older entries have no reason.
      return rich`cancelled: the digest was ${trusted(error === 'paused' || error === 'removed' ? error : 'paused or removed')} before this one was posted`;
    case 'dead':
      return rich`given up${reason}`;
  }
}

function dueWords({ messages, attempts, error, nextAt }: Delivery): Words {
  const sent = messages.filter(({ state }) => state === 'sent').length;
  const how =
    sent > 0
      ? rich`${sent} of ${trusted(counted(messages.length, 'message'))} posted, the rest to follow`
      : rich`on its way`;
  const isInDoubt = messages.some(({ state }) => state === 'unknown');
  const doubt = isInDoubt ? rich`; Slack did not answer, so the bot looks for the post in the channel` : [];
  const again =
    error === null || nextAt === null
      ? []
      : rich`; ${trusted(counted(attempts, 'attempt'))} failed (the last: ${plain(attemptReason(error), 160)}), next attempt ${date(nextAt, 'second')}`;
  return rich`${how}${doubt}${again}`;
}

/** One word if all messages were posted; otherwise what is missing. */
function postedWords(messages: readonly DeliveryMessage[]): Words {
  const [root, ...replies] = messages;
  const lacking = replies.filter(({ state }) => state !== 'sent');
  const posted = trusted(counted(replies.length - lacking.length, 'reply', 'replies'));
  const below = replies.length === lacking.length ? [] : rich` with ${posted} in its thread`;
  const missing = lacking.length === 0 ? [] : rich`; ${missingWords(lacking)}`;
  switch (root?.state) {
    case 'uncertain':
      return rich`uncertain: Slack did not confirm the post, and the bot could not check the channel (${plain(attemptReason(root.error ?? 'no_answer'), 120)}); it is not retried${missing}`;
    case 'dead':
      return rich`not posted (${plain(attemptReason(root.error ?? 'no_answer'), 120)})`;
    default:
      return rich`posted${below}${missing}`;
  }
}

function missingWords(lacking: readonly DeliveryMessage[]): Words {
  const isInDoubt = lacking.some(({ state }) => state === 'uncertain');
  const fate = isInDoubt ? 'may be missing' : lacking.length === 1 ? 'was not posted' : 'were not posted';
  const reason = attemptReason(lacking[0]?.error ?? 'no_answer');
  return rich`${trusted(counted(lacking.length, 'reply', 'replies'))} ${trusted(fate)} (${plain(reason, 120)})`;
}
