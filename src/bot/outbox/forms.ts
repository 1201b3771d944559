/** Chooses the form and target of a message. What an attempt taught is stored with the message, so that another process knows it too. */
import type { OutboxMessage } from '../store/outbox/occurrence.ts';
import type { Message } from '../views/blocks/message.ts';
import { possiblyRepeated } from '../views/notices/digest-notices.ts';
import { rootName } from './payload.ts';
import type { PostTarget, SendForm, Sent } from './ports.ts';

/** Slack refuses how a message is to be found again. https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const metadataErrors = new Set([
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'metadata_must_be_sent_from_app',
  'metadata_too_large',
]);
/** There is no thread any more to reply in. */
const threadErrors = new Set([
  'cannot_reply_to_message',
  'thread_not_found',
  'message_not_found',
  'restricted_action_thread_locked',
  'restricted_action_non_threadable_channel',
]);
/** Nobody knows whether it stands there already, and the subscription wants it all the same. */
export const repeatedWord = 'possibly_repeated';

export type Form = {
  readonly to: PostTarget;
  readonly form: SendForm;
  readonly isRepeat: boolean;
  /** Stays with the message, whatever becomes of the attempt. */
  readonly learnt: string | undefined;
};

/** @param error what was learnt of the message last @param rootTs null while there is no root */
export function formOf(
  { name }: Pick<OutboxMessage, 'name'>,
  error: string | null,
  channel: PostTarget,
  rootTs: string | null,
): Form {
  const isUnmarked = isMetadataError(error);
  const isOnTop = error !== null && threadErrors.has(error);
  const isRepeat = error === repeatedWord;
  return {
    to: name === rootName || rootTs === null || isOnTop ? channel : { ...channel, threadTs: rootTs },
    form: isUnmarked ? 'unmarked' : 'whole',
    isRepeat,
    learnt: isUnmarked || isOnTop || isRepeat ? (error ?? undefined) : undefined,
  };
}

/** @param again the form that follows from what was learnt @returns what to try at once where Slack refused this; undefined where nothing is left */
export function nextForm(refused: Form, sent: Sent, again: (learnt: string) => Form): Form | undefined {
  if (sent.kind !== 'content' && sent.kind !== 'permanent') return undefined;
  const { error, kind } = sent;
  const isNews = isMetadataError(error) || (refused.to.threadTs !== undefined && threadErrors.has(error));
  if (isNews) return refused.learnt === undefined ? again(error) : undefined;
  return kind === 'content' && refused.form === 'whole' ? { ...refused, form: 'words' } : undefined;
}

export function isMetadataError(error: string | null): boolean {
  return error !== null && metadataErrors.has(error);
}

export function messageIn({ isRepeat }: Form, message: Message): Message {
  return isRepeat ? possiblyRepeated(message) : message;
}
