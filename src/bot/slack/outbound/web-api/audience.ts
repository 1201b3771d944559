/** Audience of a conversation, and the reasons to post nothing public there. */

/**
 * Error words of the bot itself, used as `Failure.error`: another company reads the conversation, or the audience is
 * unknown.
 */
const sharingBlocks = [
  'channel_is_shared',
  'sharing_needs_scopes',
  'sharing_needs_membership',
  'sharing_unknown',
] as const;
export type SharingBlock = (typeof sharingBlocks)[number];

/** `own`: only people of this company, or one person. Other values are the reason to post nothing there. */
export type Audience = 'own' | SharingBlock;

export type Conversation = {
  /** Undefined if the bot is not installed. */
  readonly botToken: string | undefined;
  readonly channelId: string;
};

/** The bot's possibilities in a conversation, as far as they are known. */
export type Place = {
  /** False if an answer that everybody there would see is refused. */
  readonly isShareable: boolean;
  /** False if a thread goes to the person's direct messages instead. */
  readonly takesThreads: boolean;
};

/** Never rejects. */
export type AudienceOf = (conversation: Conversation) => Promise<Audience>;

/** Thrown instead of a call that would have shown something to several people. */
export class WithheldError extends Error {
  readonly word: SharingBlock;
  constructor(word: SharingBlock) {
    super(`Not posted: ${word}.`);
    this.word = word;
  }
}

/** @returns the reason for a withheld message; undefined for any other failure and for success */
export function sharingBlockOf(sent: { readonly kind: string; readonly error?: string }): SharingBlock | undefined {
  return sharingBlocks.find((word) => word === sent.error);
}
