/** The people who act on the bot. */

/** The person who acts, from the verified envelope; never from text, button values or a form. */
export type Person = {
  readonly teamId: string;
  readonly userId: string;
};

/** A person and the conversation in which they act. */
export type Actor = Person & { readonly channelId: string };
