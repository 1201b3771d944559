/** The form of Slack's ids of conversations: https://docs.slack.dev/reference, the first letter is the kind. */

const shape = /^[CDG][A-Z0-9]{1,30}$/;

export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && shape.test(value);
}
