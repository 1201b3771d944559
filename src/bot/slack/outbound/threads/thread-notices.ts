/** Private messages about a thread: where it is, and what to do where a part is missing. */
import type { RichTextElement } from '@slack/types';
import type { Message } from '../../../views/blocks/message.ts';
import { rich } from '../../../views/blocks/rich-text.ts';
import { lineMessage } from '../delivery/line.ts';
import { withheldReason } from '../delivery/withheld-notices.ts';
import type { WithheldWord } from '../web-api/audience.ts';

export type ThreadNote =
  /** `isWhole`: whether all of it was posted. */
  | { readonly kind: 'posted'; readonly isComplete: boolean; readonly link?: string | undefined }
  /** Somebody else is at work on it. */
  | { readonly kind: 'busy'; readonly link?: string | undefined }
  /** `unknown`: Slack may have opened it. */
  | { readonly kind: 'unknown' | 'refused' }
  /** Neither in the channel nor in the direct messages. */
  | { readonly kind: 'nowhere' };

/** Why a thread is in the person's direct messages with the bot, and not in the channel. */
export type Elsewhere = 'not_invited' | 'archived' | WithheldWord;

type Words = readonly RichTextElement[];

export function threadNoteMessage(note: ThreadNote, elsewhere?: Elsewhere): Message {
  return lineMessage(noteWords(note, elsewhere));
}

function noteWords(note: ThreadNote, elsewhere: Elsewhere | undefined): Words {
  switch (note.kind) {
    case 'posted': {
      const lacking = note.isComplete
        ? []
        : rich` Slack did not take all of it: ask again, and what is missing is added.`;
      return rich`${whereWords(elsewhere)} ${linkTo(note.link)}${lacking}${inviteWords(elsewhere)}`;
    }
    case 'busy':
      return rich`The thread is being written. ${linkTo(note.link)}`;
    case 'unknown':
      return rich`Slack did not answer, so the thread may be there or not. Please ask again: it goes on where it stopped.`;
    case 'refused':
      return rich`Slack did not take the thread. Please ask again in a minute.`;
    case 'nowhere':
      return rich`Slack did not let me open a thread here or in our direct messages. Invite me to the channel and ask again.`;
  }
}

function whereWords(elsewhere: Elsewhere | undefined): Words {
  switch (elsewhere) {
    case undefined:
      return rich`The details are in a thread here.`;
    case 'not_invited':
      return rich`I am not in this channel, so the details are in our direct messages.`;
    case 'archived':
      return rich`This channel is archived, so the details are in our direct messages.`;
    case 'channel_is_shared':
    case 'sharing_needs_scopes':
    case 'sharing_needs_membership':
    case 'sharing_unknown':
      return rich`The details are in our direct messages: ${withheldReason(elsewhere)}`;
  }
}

function inviteWords(elsewhere: Elsewhere | undefined): Words {
  return elsewhere === 'not_invited' ? rich` To have them here, invite me with /invite and ask again.` : [];
}

function linkTo(link: string | undefined): Words {
  return link === undefined ? [] : [{ type: 'link', url: link, text: 'Open the thread' }];
}
