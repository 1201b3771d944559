/** Compares this machine's clock with the date of Slack's answers: with a wrong clock every signed request looks too old. */
import type { Runtime } from '../../../domain/runtime.ts';
import type { SlackClientDeps } from '../../outbound/web-api/client.ts';
import { toleranceMs } from './signature.ts';

export class ClockCheck {
  readonly #runtime: Runtime;
  #aheadMs = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** @param date the `date` header of one of Slack's answers */
  readonly onSlackDate = (date: string | null): void => {
    const { clock, log } = this.#runtime;
    const slackNow = Date.parse(date ?? '');
    if (Number.isNaN(slackNow)) return;
    const wasWrong = this.#isWrong();
    const aheadMs = clock() - slackNow;
    this.#aheadMs = aheadMs;
    if (wasWrong === this.#isWrong()) return;
    if (wasWrong) log.info({ aheadMs }, 'the clock of this machine is right again');
    else log.error({ aheadMs }, 'the clock of this machine is wrong');
  };

  /** @returns the problem, for an operator; undefined if there is none or the date is unknown */
  readonly problem = (): string | undefined => {
    const minutes = Math.round(Math.abs(this.#aheadMs) / 60_000);
    const direction = this.#aheadMs > 0 ? 'ahead of' : 'behind';
    return this.#isWrong() ? `clock: ${minutes} min ${direction} Slack’s` : undefined;
  };

  #isWrong(): boolean {
    return Math.abs(this.#aheadMs) >= toleranceMs;
  }
}

const pollEveryMs = 10 * 60_000;

/**
 * Polls the date for a bot that Slack calls over HTTP, since such a bot may send no request for a day. Failures of
 * Slack are ignored here.
 */
export function pollSlackDate({ slackApiUrl, fetch }: SlackClientDeps, stopping: AbortSignal): void {
  const poll = () => void fetch(`${slackApiUrl}api.test`, { method: 'POST', signal: stopping }).catch(() => undefined);
  poll();
  const timer = setInterval(poll, pollEveryMs).unref();
  stopping.addEventListener('abort', () => clearInterval(timer));
}
