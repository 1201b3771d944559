/** Validates Slack's conversation ids; the first letter is the kind: https://docs.slack.dev/reference */

const shape = /^[CDG][A-Z0-9]{1,30}$/;

export function isChannelId(value: unknown): value is string {
  return typeof value === 'string' && shape.test(value);
}
