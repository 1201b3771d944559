/** Which channel has asked for which digest, and when each is due next. */
import type { Due } from '../core/schedule.ts';
import type { Pause, Subscription, SubscriptionPlan } from '../core/subscription.ts';

export type Subscriptions = {
  /** @param by Slack's id of the person, and when, epoch milliseconds @param next what it is due at first */
  create(
    teamId: string,
    plan: SubscriptionPlan,
    by: { readonly userId: string; readonly at: number },
    next: Due,
  ): Promise<Subscription>;
  /** A paused one stays so, and slots that are due already keep their channel. @returns undefined where there is none */
  change(teamId: string, id: string, plan: SubscriptionPlan, next: Due): Promise<Subscription | undefined>;
  find(teamId: string, id: string): Promise<Subscription | undefined>;
  /** By channel, then time. */
  list(teamId: string): Promise<readonly Subscription[]>;
  /**
   * A person's pause cancels what is due and of which nothing was sent, and wins over any other.
   * @returns whether it was not paused before; for a person's, not by a person
   */
  pause(teamId: string, id: string, pause: Pause): Promise<boolean>;
  /** @param next counts where a person had paused it: after any other pause it goes on as planned @returns whether it was paused */
  resume(teamId: string, id: string, next: Due): Promise<boolean>;
  /** Cancels as a pause does; what was posted stays in the ledger. @returns whether there was one */
  remove(teamId: string, id: string): Promise<boolean>;
  /** Its owner was told of a problem. @param at epoch milliseconds */
  noteTold(teamId: string, id: string, at: number): Promise<void>;
};
