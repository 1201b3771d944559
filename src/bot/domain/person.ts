/** The people who act on the bot, and where they act. */

/** The person who acts, from the verified envelope; never from text, button values or a form. */
export type Person = {
  readonly teamId: string;
  readonly userId: string;
};

/** A person and the conversation in which they act. */
export type Actor = Person & { readonly channelId: string };

const channelShape = /^[CDG][A-Z0-9]{1,30}$/;

/** Validates Slack's conversation ids; the first letter is the kind: https://docs.slack.dev/reference */
export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && channelShape.test(value);
}
