/** What a channel has asked for: which workflows its digests are about, when they come, and what is done when it is in doubt. */
import { freezeDeep } from '../../shared/frozen.ts';
import type { Due, Schedule } from './schedule.ts';

export type ChosenWorkflows =
  | { readonly kind: 'all' }
  /** Those whose names have it. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'chosen'; readonly uuids: readonly string[] };

/** So many can be asked about at once. */
export const chosenMax = 15;
const textMax = 256;

/** What a person decides. */
export type SubscriptionPlan = {
  readonly channelId: string;
  readonly schedule: Schedule;
  readonly workflows: ChosenWorkflows;
  /** Whether a digest comes where nothing failed, too. */
  readonly hasAllClear: boolean;
  /** Of a message of which nobody can tell whether it was posted: left as it is, or posted once more and marked. */
  readonly onUncertain: 'hold' | 'repeat';
};

export type Pause = {
  /** `person`, or the word for what is wrong: Slack's, or ours. */
  readonly reason: string;
  /** Since when, epoch milliseconds. */
  readonly at: number;
  /** Slack's id of the person. */
  readonly by: string | null;
};

/** Of a pause that somebody wanted: no slots. Any other pause goes on being tried, and ends by itself. */
export const pausedByPerson = 'person';

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
  /** When its owner was last told of a problem, epoch milliseconds. */
  readonly toldAt: number | null;
};

/** @returns what a value from outside says, frozen; undefined where it names no workflows */
export function readChosenWorkflows(value: unknown): ChosenWorkflows | undefined {
  const { kind, text, uuids }: Readonly<Record<string, unknown>> = { ...Object(value) };
  if (kind === 'all') return Object.freeze({ kind });
  if (kind === 'text' && typeof text === 'string' && text.trim() !== '' && text.length <= textMax) {
    return Object.freeze({ kind, text });
  }
  if (kind !== 'chosen' || !Array.isArray(uuids) || uuids.length === 0 || uuids.length > chosenMax) return undefined;
  return uuids.every((uuid) => typeof uuid === 'string') ? freezeDeep({ kind, uuids: [...uuids] }) : undefined;
}
