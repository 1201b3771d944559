/** In which form a part is sent, and where: what was learnt before stands with the part, so that whoever takes over knows it, too. */
import type { Part } from '../store/ledger.ts';
import { possiblyRepeated } from '../views/digest-notices.ts';
import type { Message } from '../views/kit/message.ts';
import { rootName } from './payload.ts';
import type { PostTarget, SendForm } from './ports.ts';

/** Slack refuses how a message is to be found again. https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const metadataErrors = new Set(['invalid_metadata_format', 'invalid_metadata_schema', 'metadata_too_large']);
/** There is no thread any more to reply in. */
const threadErrors = new Set(['cannot_reply_to_message', 'thread_not_found', 'message_not_found']);
/** Nobody knows whether it stands there already, and the subscription wants it all the same. */
export const repeatedWord = 'possibly_repeated';

export type Form = {
  readonly to: PostTarget;
  readonly form: SendForm;
  readonly isRepeat: boolean;
  /** Stays with the part, whatever becomes of the attempt. */
  readonly learnt: string | undefined;
};

/** @param error what was learnt of the part last @param rootTs null while there is no root */
export function formOf(
  { name }: Pick<Part, 'name'>,
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

/** @returns what to try at once where Slack refused this; undefined where nothing is left */
export function simplerForm(refused: Form, error: string, again: (learnt: string) => Form): Form | undefined {
  if (refused.learnt === undefined && (isMetadataError(error) || (refused.to.threadTs && threadErrors.has(error))))
    return again(error);
  if (isMetadataError(error) || threadErrors.has(error) || refused.form !== 'whole') return undefined;
  return { ...refused, form: 'words' };
}

export function isMetadataError(error: string | null): boolean {
  return error !== null && metadataErrors.has(error);
}

export function messageIn({ isRepeat }: Form, message: Message): Message {
  return isRepeat ? possiblyRepeated(message) : message;
}
