/** Turns a message and its placement into Slack's payload. */
import type { MessageBlock } from '../../../../shared/block-kit/data-visualization.ts';
import { limits } from '../../../../shared/block-kit/limits.ts';
import { validateBlocks } from '../../../../shared/block-kit/validate.ts';
import { memoize } from '../../../../shared/cache/memoize.ts';
import type { Visibility } from '../../../commands/framework/command.ts';
import { listVariant } from '../../../views/blocks/list-variant.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { truncate } from '../../../views/format/outside-text.ts';

/** A new message, or one that replaces the pressed message and keeps its visibility. */
export type Placement =
  | { readonly kind: 'new'; readonly visibility: Visibility; readonly threadTs?: string | undefined }
  | { readonly kind: 'replace'; readonly visibility: Visibility };

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses; an acknowledgement takes the same. */
export type ResponsePayload = {
  readonly text: string;
  readonly blocks?: MessageBlock[];
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

export type Content = { readonly text: string; readonly blocks?: MessageBlock[] };

/** Shortens a message to the length that a place takes. */
type Fit = (message: Message) => Message;

const unchanged: Fit = (message) => message;

/** @returns the variants of the message in the order in which they are tried: whole, with lists if it has tables or charts, text only */
export function contentsOf(message: Message, fit: Fit = unchanged): readonly [Content, ...Content[]] {
  const { text, blocks } = fit(message);
  const words = { text: wholeMarkup(text, limits.message.advisedTextUnitsMax) };
  const listed = listVariant(message.blocks);
  // As a list, the same facts may be longer.
  const lists = listed ? [{ ...words, blocks: [...fit({ text, blocks: listed }).blocks] }] : [];
  return [{ text, blocks: [...blocks] }, ...lists, words];
}

/** As `contentsOf`, for a response_url. */
export function payloadsOf(message: Message, placement: Placement): readonly [ResponsePayload, ...ResponsePayload[]] {
  const [whole, ...simpler] = contentsOf(message);
  const payload = (content: Content) => ({ ...placementFields(placement), ...content });
  return [payload(whole), ...simpler.map(payload)];
}

/** Slack does not document the limits of a plan, and may refuse any chart or table (slackapi/bolt-js#2867). */
const maybeRefused: readonly string[] = ['plan', 'data_visualization', 'table', 'data_table'];

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

const noteUnitsMax = 50;

/** Cuts a text that is too long, without splitting an entity or a token. */
function wholeMarkup(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text === '' ? 'The answer has no text.' : text;
  const cut = truncate(text, unitsMax - noteUnitsMax).replace(/…$/, '');
  const head = cut.replace(/&[a-z]{0,4}$/, '').replace(/<[^<>]*$/, '');
  return `${head}\n… (${text.length - head.length} characters are left out)`;
}

/**
 * JSON of a payload, in ASCII: V8 stores it with one byte a character, and joins and encodes it four times faster than
 * the bars and dots of a card. Memoized for frozen payloads, which are measured and sent several times.
 */
export const payloadText: (payload: object) => string = memoize((payload) => payloadBytes(payload).toString('latin1'));
export const payloadBytes: (payload: object) => Buffer = memoize((payload) =>
  Buffer.from(JSON.stringify(payload).replace(/[\u0080-\uffff]/g, escapeUnit), 'latin1'),
);

/** @param unit one UTF-16 code unit @returns JSON's escape for it */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** @returns true if one acknowledgement takes it; Slack reports no refusal of one */
export function fitsAcknowledgement(payload: object): boolean {
  return payloadBytes(payload).length <= limits.socket.acknowledgementBytesMax;
}

/**
 * @returns the payload for one person, if it may travel in an acknowledgement; otherwise it goes where Slack reports a
 *   refusal
 */
export const acknowledgementPayload = memoize((message: Message): ResponsePayload | undefined => {
  const { text, blocks } = message;
  if (text === '' || blocks.some(({ type }) => maybeRefused.includes(type))) return undefined;
  if (validateBlocks(blocks, 'message').length > 0) return undefined;
  return Object.freeze(fullPayload(message, { kind: 'new', visibility: 'ephemeral' }));
});
