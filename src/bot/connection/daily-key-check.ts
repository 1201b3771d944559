/** Checks every stored key once a day, spread over hours, a few at a time. */
import { hash } from 'node:crypto';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Credential, Credentials } from '../store/repositories/credentials.ts';
import type { KeyHealth } from './key-health.ts';

export type DailyKeyCheckDeps = {
  readonly credentials: Pick<Credentials, 'page'>;
  readonly health: Pick<KeyHealth, 'check'>;
  readonly clock: Clock;
  readonly log: Logger;
};

export type DailyKeyCheck = {
  readonly start: () => void;
  /** Waits for running checks. */
  readonly stop: () => Promise<void>;
  /** Checks every due key. Never rejects. */
  readonly round: () => Promise<void>;
};

const dayMs = 24 * 60 * 60_000;
/** Spreads keys that were stored in the same hour. */
const spreadMs = 4 * 60 * 60_000;
const betweenRoundsMs = 15 * 60_000;
const pageSize = 100;
const atOnceMax = 4;

export function createDailyKeyCheck(deps: DailyKeyCheckDeps): DailyKeyCheck {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isStopping = false;
  const round = async () => {
    try {
      for await (const due of dueIn(deps)) {
        if (isStopping) return;
        await Promise.all(due.map(deps.health.check));
      }
    } catch (err) {
      deps.log.error({ err }, 'keys could not be checked');
    }
  };
  return {
    round,
    start: () => {
      timer = setInterval(() => {
        running ??= round().finally(() => {
          running = undefined;
        });
      }, betweenRoundsMs).unref();
    },
    stop: async () => {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}

/** Due times come from the store, so that restarts and other processes neither skip nor repeat a check. */
async function* dueIn({ credentials, clock }: DailyKeyCheckDeps): AsyncGenerator<readonly Credential[]> {
  for (let after = ''; ; ) {
    const page = await credentials.page(after, pageSize);
    const due = page.filter((credential) => clock() >= dueAt(credential));
    for (let at = 0; at < due.length; at += atOnceMax) yield due.slice(at, at + atOnceMax);
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.teamId;
  }
}

function dueAt({ teamId, checkedAt, connectedAt }: Credential): number {
  const share = Number.parseInt(hash('sha256', teamId).slice(0, 8), 16) / 0xffff_ffff;
  return (checkedAt ?? connectedAt) + dayMs - Math.round(share * spreadMs);
}
