/** Watches Slack's requests to the bot's address: the confirmation of the request URL, and signed requests. */
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';

export type RequestUrl = {
  readonly onConfirmed: () => void;
  readonly onSigned: () => void;
  /** @returns one line for an operator: what has arrived at this process since its start */
  readonly note: () => string;
};

/**
 * Slack confirms a request URL only while the bot runs with its signing secret, and not again for a URL that it
 * confirmed before (https://github.com/slackapi/bolt-python/issues/923). Signed requests therefore count as well.
 * Requests with another signature do not, since anybody can send them.
 */
export function createRequestUrl({ clock, log }: { readonly clock: Clock; readonly log: Logger }): RequestUrl {
  let [confirmedAt, signedAt]: [number?, number?] = [];
  const onSigned = () => {
    if (signedAt === undefined) log.info({}, 'first signed request from slack');
    signedAt ??= clock();
  };
  return {
    onSigned,
    onConfirmed: () => {
      onSigned();
      confirmedAt = clock();
      log.info({}, 'slack confirmed the request URL');
    },
    note: () => {
      if (confirmedAt !== undefined) return `slack: request URL confirmed at ${timeOf(confirmedAt)}`;
      if (signedAt !== undefined) return `slack: signed requests since ${timeOf(signedAt)}`;
      return 'slack: no signed request yet; confirm the request URL on the app’s page “Event Subscriptions”, and check SLACK_SIGNING_SECRET if that fails';
    },
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
