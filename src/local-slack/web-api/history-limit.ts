/**
 * The rate limit of conversations.history and conversations.replies for apps that are distributed outside of the
 * Marketplace (https://docs.slack.dev/apis/web-api/rate-limits): one call a minute, fifteen messages.
 */
import type { Clock } from '../../shared/time/clock.ts';
import { type Fault, type FaultRule, oncePerInterval } from '../server/faults.ts';

export type HistoryLimit = {
  readonly pageMax: number;
  /** @returns the refusal of a call that comes too early */
  readonly take: (method: string, teamId: string) => Fault | undefined;
};

/** @param everyMs Slack's minute; tests shorten it */
export function createHistoryLimit(everyMs: number, clock: Clock): HistoryLimit {
  const rules = new Map<string, FaultRule>();
  return {
    pageMax: 15,
    take: (method, teamId) => {
      if (method !== 'conversations.history' && method !== 'conversations.replies') return undefined;
      const key = `${method} ${teamId}`;
      const rule = rules.get(key) ?? oncePerInterval(everyMs, clock);
      rules.set(key, rule);
      return rule({});
    },
  };
}
