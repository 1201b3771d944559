/** The person who acts. */

/** Who acts, as the verified envelope says; never read from text, button values or a form. */
export type Person = {
  readonly teamId: string;
  readonly userId: string;
};

/** A person, and where they act. */
export type Actor = Person & { readonly channelId: string };
