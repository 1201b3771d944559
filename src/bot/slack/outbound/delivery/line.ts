/** Messages of one line, and the link at their end. */
import type { RichTextElement } from '@slack/types';
import { type Message, message } from '../../../views/blocks/message.ts';
import { paragraph, rich } from '../../../views/blocks/rich-text.ts';
import type { Failure } from '../web-api/errors.ts';
import type { Permalink } from './posting.ts';

export function lineMessage(words: readonly RichTextElement[]): Message {
  return message([paragraph(words)]);
}

/** @returns nothing where Slack does not tell where it is */
export function openLink(link: Permalink | Failure): readonly RichTextElement[] {
  return link.kind === 'link' ? [...rich` `, { type: 'link', url: link.url, text: 'Open it' }] : [];
}
