/** Turns a message and its placement into Slack's payload. */
import type { KnownBlock } from '@slack/types';
import { limits } from '../../../../shared/block-kit/limits.ts';
import { validateBlocks } from '../../../../shared/block-kit/validate.ts';
import { memoize } from '../../../../shared/cache/memoize.ts';
import type { Visibility } from '../../../commands/framework/command.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { planAsList } from '../../../views/blocks/plan.ts';
import { truncate } from '../../../views/format/outside-text.ts';

/** An answer is a new message, or replaces the pressed message and keeps its visibility. */
export type Placement =
  | { readonly kind: 'new'; readonly visibility: Visibility; readonly threadTs?: string | undefined }
  | { readonly kind: 'replace'; readonly visibility: Visibility };

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses; an acknowledgement takes the same. */
export type ResponsePayload = {
  readonly text: string;
  readonly blocks?: KnownBlock[];
  readonly response_type: 'ephemeral' | 'in_channel';
  readonly replace_original: boolean;
  readonly thread_ts?: string;
  /** Answers have no link previews. `link_names` stays off, its default, so that a name in a text notifies no one. */
  readonly unfurl_links: false;
  readonly unfurl_media: false;
};

export function fullPayload({ text, blocks }: Message, placement: Placement): ResponsePayload {
  return { ...placementFields(placement), text, blocks: [...blocks] };
}

export type Content = { readonly text: string; readonly blocks?: KnownBlock[] };

/** For when Slack refuses the blocks: the same facts, each time in a simpler form. Lists for plans, at last the words alone. */
export function simplerContents(message: Message): readonly Content[] {
  const text = wholeMarkup(message.text, limits.message.advisedTextUnitsMax);
  const blocks = message.blocks.map((block) => (block.type === 'plan' ? planAsList(block) : block));
  return hasPlan(message) ? [{ text, blocks }, { text }] : [{ text }];
}

/** As `simplerContents`, for a response_url. */
export function simplerPayloads(message: Message, placement: Placement): readonly ResponsePayload[] {
  return simplerContents(message).map((content) => ({ ...placementFields(placement), ...content }));
}

function hasPlan({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === 'plan');
}

function placementFields(placement: Placement): Omit<ResponsePayload, 'text' | 'blocks'> {
  const threadTs = placement.kind === 'new' && placement.visibility === 'channel' ? placement.threadTs : undefined;
  return {
    response_type: placement.visibility === 'channel' ? 'in_channel' : 'ephemeral',
    replace_original: placement.kind === 'replace',
    unfurl_links: false,
    unfurl_media: false,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
}

/** A view's text is short enough already; this is for one that is not, and cuts no entity or token in two. */
function wholeMarkup(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text === '' ? 'The answer has no text.' : text;
  const left = `\n… (${text.length - unitsMax} characters are left out)`;
  const head = truncate(text, unitsMax - left.length - 10).replace(/…$/, '');
  return `${head.replace(/&[a-z]{0,4}$/, '').replace(/<[^<>]*$/, '')}${left}`;
}

/** JSON of a payload: of one that is frozen it is written once, however often it is measured and sent. */
export const payloadText: (payload: object) => string = memoize((payload) => JSON.stringify(payload));
/** The same as it goes over the wire. */
export const payloadBytes: (payload: object) => Buffer = memoize((payload) => Buffer.from(payloadText(payload)));

/** Larger ones could be refused, and a refusal of an acknowledgement is never seen. */
const acknowledgementBytesMax = 50_000;

/** @returns what one person sees, if it may travel in an acknowledgement; otherwise it goes where a refusal comes back */
export const acknowledgementPayload = memoize((message: Message): ResponsePayload | undefined => {
  // A plan's limits are not documented.
  if (message.text === '' || hasPlan(message) || validateBlocks(message.blocks, 'message').length > 0) return undefined;
  const payload = Object.freeze(fullPayload(message, { kind: 'new', visibility: 'ephemeral' }));
  return Buffer.byteLength(payloadText(payload)) <= acknowledgementBytesMax ? payload : undefined;
});
