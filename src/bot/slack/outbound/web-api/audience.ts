/** The audience of a conversation, and the reasons why nothing public is posted there. */

/** Words of ours, as `Failure.error`: another company reads it too, or that cannot be found out. */
const withheldWords = [
  'channel_is_shared',
  'sharing_needs_scopes',
  'sharing_needs_membership',
  'sharing_unknown',
] as const;
export type WithheldWord = (typeof withheldWords)[number];

/** `own`: only people of this company, or one person. Otherwise the reason why nothing is posted there. */
export type Audience = 'own' | WithheldWord;

export type Conversation = {
  /** Undefined where the bot is not installed. */
  readonly botToken: string | undefined;
  readonly channelId: string;
};

/** Never rejects. */
export type AudienceOf = (conversation: Conversation) => Promise<Audience>;

/** Thrown in the place of a call that would have shown something to several people. */
export class WithheldError extends Error {
  readonly word: WithheldWord;
  constructor(word: WithheldWord) {
    super(`Not posted: ${word}.`);
    this.word = word;
  }
}

/** @returns the word for it; undefined for any other failure, and for none */
export function withheldBy(sent: { readonly kind: string; readonly error?: string }): WithheldWord | undefined {
  return withheldWords.find((word) => word === sent.error);
}
