/** Compares this machine's clock with the date of Slack's answers: with a wrong clock every signed request looks too old. */
import type { FetchFunction } from '@slack/web-api';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { toleranceMs } from './signature.ts';

export type ClockCheck = {
  /** @param date the header of an answer of Slack's */
  readonly onSlackDate: (date: string | null) => void;
  /** @returns what is wrong, for an operator; undefined where nothing is, or nothing is known */
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
      else log.error({ aheadMs }, 'the clock of this machine is wrong: what Slack sends is refused until it is set');
    },
  };
}

function wordsOf(aheadMs: number): string {
  return `${Math.round(Math.abs(aheadMs) / 60_000)} min ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}

export type PollSlackDateDeps = {
  /** With a trailing slash. */
  readonly slackApiUrl: string;
  readonly fetch: FetchFunction;
  /** When it ends. */
  readonly stopping: AbortSignal;
};

const pollEveryMs = 10 * 60_000;

/** For a bot that Slack comes to: it may have nothing else to ask Slack for a day. Whether Slack answers is for others to find out. */
export function pollSlackDate({ slackApiUrl, fetch, stopping }: PollSlackDateDeps): void {
  const poll = () => void fetch(`${slackApiUrl}api.test`, { method: 'POST', signal: stopping }).catch(() => undefined);
  poll();
  const timer = setInterval(poll, pollEveryMs).unref();
  stopping.addEventListener('abort', () => clearInterval(timer));
}
