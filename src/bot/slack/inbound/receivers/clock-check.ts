/** Compares this machine's clock with the date of Slack's answers: with a wrong clock every signed request looks too old. */
import type { FetchFunction } from '@slack/web-api';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { toleranceMs } from './signature.ts';

export type ClockCheck = {
  /** @param date the `date` header of one of Slack's answers */
  readonly onSlackDate: (date: string | null) => void;
  /** @returns the problem, for an operator; undefined if there is none or the date is unknown */
  readonly clockProblem: () => string | undefined;
};

export function createClockCheck({ clock, log }: { readonly clock: Clock; readonly log: Logger }): ClockCheck {
  let aheadMs = 0;
  const isWrong = () => Math.abs(aheadMs) >= toleranceMs;
  return {
    clockProblem: () => (isWrong() ? `clock: ${wordsOf(aheadMs)} Slack’s` : undefined),
    onSlackDate: (date) => {
      const slackNow = Date.parse(date ?? '');
      if (Number.isNaN(slackNow)) return;
      const wasWrong = isWrong();
      aheadMs = clock() - slackNow;
      if (wasWrong === isWrong()) return;
      if (wasWrong) log.info({ aheadMs }, 'the clock of this machine is right again');
      else
        log.error({ aheadMs }, 'the clock of this machine is wrong: requests from Slack are refused until it is set');
    },
  };
}

function wordsOf(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 60_000)} min ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

export type PollSlackDateDeps = {
  /** Ends with a slash. */
  readonly slackApiUrl: string;
  readonly fetch: FetchFunction;
  /** Aborts when the bot stops. */
  readonly stopping: AbortSignal;
};

const pollEveryMs = 10 * 60_000;

/**
 * Polls the date for a bot that Slack calls over HTTP, since such a bot may send no request for a day. Failures of
 * Slack are ignored here.
 */
export function pollSlackDate({ slackApiUrl, fetch, stopping }: PollSlackDateDeps): void {
  const poll = () => void fetch(`${slackApiUrl}api.test`, { method: 'POST', signal: stopping }).catch(() => undefined);
  poll();
  const timer = setInterval(poll, pollEveryMs).unref();
  stopping.addEventListener('abort', () => clearInterval(timer));
}
