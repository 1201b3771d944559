/** Subscription of a channel to digests: workflows, schedule, and what to do when a post is uncertain. */
import { freezeDeep } from '../../shared/cache/memoize.ts';
import type { Due, Schedule } from './schedule.ts';

export type ChosenWorkflows =
  | { readonly kind: 'all' }
  /** Workflows whose names contain it. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chosen'; readonly uuids: readonly string[] };

/** The most workflows of one query. */
export const chosenMax = 15;
const textMax = 256;

/** The part of a subscription that a person chooses. */
export type SubscriptionPlan = {
  readonly channelId: string;
  readonly schedule: Schedule;
  readonly workflows: ChosenWorkflows;
  /** True if a digest is posted when nothing failed. */
  readonly hasAllClear: boolean;
  /** For a message whose delivery is uncertain: leave it, or post it again with a mark. */
  readonly onUncertain: 'hold' | 'repeat';
};

export type Pause = {
  /** `person`, or an error code of Slack or of the bot. */
  readonly reason: string;
  /** Since when, epoch milliseconds. */
  readonly at: number;
  /** Slack's id of the person. */
  readonly by: string | null;
};

/** Reason of a pause that a person chose: nothing is due. Any other pause is retried and ends by itself. */
export const pausedByPerson = 'person';

/** Reasons of a pause that only a working API key ends. */
const keyProblems = ['unauthorized', 'not_connected', 'not_listed'] as const;

export type KeyProblem = (typeof keyProblems)[number];

export function waitsForKey({ pause }: Pick<Subscription, 'pause'>): boolean {
  return keyProblems.some((problem) => problem === pause?.reason);
}

/** After this time a finished or removed digest is forgotten, and a thread, which then begins anew. */
export const deliveriesKeptDays = 90;

export type Subscription = SubscriptionPlan & {
  readonly teamId: string;
  readonly id: string;
  /** Slack's id of the person. */
  readonly createdBy: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly pause: Pause | null;
  /** Null while a person has paused it. */
  readonly nextDue: Due | null;
  /** When its owner was last notified of a problem, epoch milliseconds. */
  readonly notifiedAt: number | null;
};

/** Reads an untrusted value. @returns frozen; undefined if it is invalid */
export function readChosenWorkflows(value: unknown): ChosenWorkflows | undefined {
  const { kind, text, uuids }: Readonly<Record<string, unknown>> = { ...Object(value) };
  if (kind === 'all') return Object.freeze({ kind });
  if (kind === 'text' && typeof text === 'string' && text.trim() !== '' && text.length <= textMax) {
    return Object.freeze({ kind, text });
  }
  if (kind !== 'chosen' || !Array.isArray(uuids) || uuids.length === 0 || uuids.length > chosenMax) return undefined;
  return uuids.every((uuid) => typeof uuid === 'string') ? freezeDeep({ kind, uuids: [...uuids] }) : undefined;
}
