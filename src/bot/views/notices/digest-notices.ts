/** Messages to the owner of a digest that was not posted, may not have been posted, or may be posted twice. */
import type { Button } from '@slack/types';
import { classOf } from '../../domain/slack-errors.ts';
import { actions, context } from '../blocks/blocks.ts';
import { commandButton, connectButton } from '../blocks/command-button.ts';
import { type Message, message, withMore } from '../blocks/message.ts';
import { bold, channel, code, date, emoji, paragraph, plain, rich, trusted } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { refusalText } from './refusal-text.ts';

export type DigestProblem = {
  /**
   * `refused`: Slack refuses the channel. `waiting`: for a key; the channel knows. `given_up`: after several attempts.
   * `uncertain`: it may have been posted. `delayed`: until the bot knows whether people of other companies read the channel.
   */
  readonly kind: 'refused' | 'waiting' | 'given_up' | 'uncertain' | 'delayed';
  readonly subscriptionId: string;
  readonly channelId: string;
  /** When the digest was due, epoch milliseconds. */
  readonly dueAt: number;
  /** Error code of Slack or of the bot. */
  readonly error: string;
  /** True if only a part of its thread was refused. */
  readonly isPartlyPosted?: boolean;
};

const permissionStep = rich` To let the bot check by itself, ask a workspace admin to install it again with the permission ${code('channels:history')} (for a private channel, ${code('groups:history')}).`;
const onceADay = markup`Deliveries may list more problems of the same day.`;

export function digestProblemMessage(problem: DigestProblem): Message {
  const { kind, channelId, dueAt } = problem;
  const which = rich`The digest of ${date(dueAt)} for ${channel(channelId)}`;
  const { happened, step } = wordsOf(problem);
  return message([
    paragraph(rich`${emoji('warning')} ${which} ${trusted(happened)}`),
    paragraph(step),
    actions([...buttonsOf(problem)]),
    ...(kind === 'waiting' ? [] : [context([onceADay])]),
  ]);
}

/** A deleted channel has no name, so its id is shown. */
export function digestEndedMessage({ channelId }: Pick<DigestProblem, 'channelId'>): Message {
  const another = commandButton({ label: 'Set up another', line: 'digest', mode: 'open' });
  return message([
    paragraph(
      rich`${emoji('warning')} The digest for the channel ${plain(channelId)} has ended: the channel was deleted.`,
    ),
    paragraph(rich`Nothing more is posted. To go on, set up a digest for another channel.`),
    actions([another]),
  ]);
}

function buttonsOf({ kind, subscriptionId }: DigestProblem): readonly Button[] {
  const now = commandButton({ label: 'Post now', line: `digest now ${subscriptionId}`, mode: 'open' });
  const change = commandButton({ label: 'Edit the digest', line: `digest edit ${subscriptionId}`, mode: 'open' });
  const all = commandButton({ label: 'Deliveries', line: 'deliveries', mode: 'open' });
  switch (kind) {
    case 'refused':
      return [now, change, all];
    case 'waiting':
      return [connectButton(), all];
    case 'delayed':
      return [change, all];
    case 'given_up':
    case 'uncertain':
      return [now, all];
  }
}

function wordsOf({ kind, error, isPartlyPosted }: DigestProblem) {
  const { reason, step } = refusalText(error);
  switch (kind) {
    case 'refused':
      return {
        happened: `${isPartlyPosted ? 'was posted, but not all of its thread' : 'was not posted'}: ${reason}.`,
        step: rich`${trusted(step)} No digest is posted there until this is solved. After that, press ${bold('Post now')}, or wait for the next scheduled digest.`,
      };
    case 'waiting':
      return {
        happened: `could not be made: ${reason}. The bot says so once in its channel, and skips the digest until this is solved.`,
        step: rich`${trusted(step)} After that, digests are posted again as scheduled; the next one says how many were skipped.`,
      };
    case 'delayed':
      return {
        happened: `is delayed: ${reason}.`,
        step: rich`${trusted(error === 'sharing_unknown' ? '' : `${step} `)}The bot posts the digest once it has confirmed that only your company can read the channel. If the bot cannot confirm that within 6 hours of the due time, it skips this digest.`,
      };
    case 'given_up':
      return {
        happened: `was not posted: ${reasonGivenUp(error)}.`,
        step: rich`Scheduled digests go on, unless they are paused. To get a digest of the last 24 hours now, press ${bold('Post now')}. If that fails too, tell the person who runs this bot.`,
      };
    case 'uncertain':
      return {
        happened:
          'or a reply in its thread may be missing: Slack did not confirm it, and the bot could not check the channel’s history.',
        step: rich`Check the channel; if the digest is missing, press ${bold('Post now')}.${error === 'missing_scope' ? permissionStep : []}`,
      };
  }
}

function reasonGivenUp(error: string): string {
  if (error === 'internal') return 'the bot had an error';
  return classOf(error).kind === 'content'
    ? 'Slack refused it in all formats'
    : 'Slack confirmed none of several attempts';
}

/** The same message with a note that it may be a repeat. */
export function possiblyRepeated(original: Message): Message {
  return withMore(original, [context([markup`Possibly a duplicate: Slack did not confirm the first post.`])]);
}
