/** What operators do with digests: set them up, stop them, ask for one, and read what became of each. */
import { AppError } from '../../../../shared/errors.ts';
import type { AuditRecorder } from '../../../domain/audit-action.ts';
import type { Person } from '../../../domain/person.ts';
import { type Due, dueBefore, nextDue, type Schedule } from '../../../domain/schedule.ts';
import { pausedByPerson, type Subscription, type SubscriptionPlan } from '../../../domain/subscription.ts';
import { waitsForKey } from '../../../outbox/refused-key.ts';
import type { WorkflowName } from '../../../query/results.ts';
import type { SlotEntry } from '../../../store/outbox/slot.ts';
import type { Ledger } from '../../../store/repositories/ledger.ts';
import type { Subscriptions } from '../../../store/repositories/subscriptions.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { scheduleText } from '../../../views/digest/subscription-words.ts';
import type { ChosenWorkflowsOf } from '../../lookup/chosen-workflows.ts';

/** For one person in their workspace; what they change is written down. */
export type Digests = {
  /** By channel, then time. */
  readonly list: () => Promise<readonly Subscription[]>;
  /** The workflows that plans chose one by one, as far as they are known at once. */
  readonly chosen: (plans: readonly Pick<SubscriptionPlan, 'workflows'>[]) => Promise<readonly WorkflowName[]>;
  /** @param id of the one that is changed; a new one where left out @returns undefined where there is no such one any more */
  readonly save: (plan: SubscriptionPlan, id?: string) => Promise<Subscription | undefined>;
  /** @returns as it is now; undefined where there is no such one any more */
  readonly pause: (id: string) => Promise<Subscription | undefined>;
  readonly resume: (id: string) => Promise<Subscription | undefined>;
  /** @returns as it was */
  readonly remove: (id: string) => Promise<Subscription | undefined>;
  /** One digest of the last 24 hours. @returns false where one was asked for within the same minute */
  readonly post: (subscription: Subscription) => Promise<boolean>;
  /** What a plan comes to. @param id of the one that it would change */
  readonly preview: (plan: SubscriptionPlan, id?: string) => Promise<DigestPreview>;
  /** Shows the person alone what would be posted, where it would be. */
  readonly showIn: (channelId: string, message: Message) => Promise<ShownIn>;
  /** @returns the word for why nothing is posted in a channel because of who else may read it; undefined where nothing keeps it */
  readonly withheldIn: (channelId: string) => Promise<string | undefined>;
  /** The ledger, newest first. @param before as `Ledger.page` */
  readonly deliveries: (count: number, before?: string) => Promise<readonly SlotEntry[]>;
  /** @returns the address of a message; undefined where Slack does not tell */
  readonly linkTo: (channelId: string, ts: string) => Promise<string | undefined>;
};

export type DigestPreview = {
  /** When it would be posted next, in order. */
  readonly dues: readonly Due[];
  /** What it would post now, of the last 24 hours. */
  readonly posts: PreviewPosts;
  /** By the database's clock, epoch milliseconds. */
  readonly now: number;
};

/** `nothing`: nothing failed, and the plan wants no word of that. `problem`: it could not look. */
export type PreviewPosts =
  | ({ readonly kind: 'messages' } & PreviewMessages)
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly sentence: string };

/** The root, and what is below it. */
export type PreviewMessages = {
  readonly root: Message;
  readonly replies: readonly { readonly name: string; readonly message: Message }[];
};

/** `error`: Slack's own word for why it never shows anything there. */
export type ShownIn = { readonly kind: 'shown' | 'unknown' } | { readonly kind: 'refused'; readonly error: string };

export type DigestsDeps = {
  readonly store: { readonly subscriptions: Subscriptions; readonly ledger: Pick<Ledger, 'add' | 'now' | 'page'> };
  readonly record: AuditRecorder;
  /** As it is posted. @throws AppError where it could not look */
  readonly build: (teamId: string, plan: SubscriptionPlan, window: PreviewWindow) => Promise<PreviewMessages | null>;
  readonly chosen: ChosenWorkflowsOf;
  readonly channels: Channels;
};

/** Epoch milliseconds. */
export type PreviewWindow = { readonly from: number; readonly to: number };

/** What Slack says of a channel to one person. Never rejects. */
export type Channels = {
  readonly showIn: (person: Person, channelId: string, message: Message) => Promise<ShownIn>;
  readonly linkTo: (person: Person, channelId: string, ts: string) => Promise<string | undefined>;
  readonly withheldIn: (person: Person, channelId: string) => Promise<string | undefined>;
};

const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;
const duesShown = 3;

export function createDigests(deps: DigestsDeps): (person: Person) => Digests {
  const { subscriptions, ledger } = deps.store;
  return (person) => {
    const { teamId } = person;
    const change = async (id: string, action: Change, carryOut: (found: Subscription) => Promise<boolean>) => {
      const found = await subscriptions.find(teamId, id);
      if (!found) return undefined;
      if (await carryOut(found)) await deps.record(person, `digest ${action}`, detailOf(found));
      return (await subscriptions.find(teamId, id)) ?? found;
    };
    return {
      list: () => subscriptions.list(teamId),
      chosen: (plans) => deps.chosen(teamId, plans),
      save: (plan, id) => save(deps, person, plan, id),
      pause: (id) =>
        change(id, 'paused', async () =>
          subscriptions.pause(teamId, id, { reason: pausedByPerson, at: await ledger.now(), by: person.userId }),
        ),
      resume: (id) =>
        change(id, 'resumed', async ({ schedule }) =>
          subscriptions.resume(teamId, id, nextDue(schedule, { at: await ledger.now() })),
        ),
      remove: (id) => change(id, 'removed', () => subscriptions.remove(teamId, id)),
      post: async (subscription) => {
        const isAdded = await ledger.add(teamId, subscription.id, slotNow(await ledger.now()));
        if (isAdded) await deps.record(person, 'digest asked for', detailOf(subscription));
        return isAdded;
      },
      preview: async (plan, id) => {
        const now = await ledger.now();
        const before = id === undefined ? undefined : await subscriptions.find(teamId, id);
        const posts = await postsOf(deps.build(teamId, plan, { from: now - dayMs, to: now }));
        return { dues: firstDues(plan.schedule, before, now), posts, now };
      },
      showIn: (channelId, message) => deps.channels.showIn(person, channelId, message),
      withheldIn: (channelId) => deps.channels.withheldIn(person, channelId),
      deliveries: (count, before) => ledger.page(teamId, count, before),
      linkTo: (channelId, ts) => deps.channels.linkTo(person, channelId, ts),
    };
  };
}

type Change = 'paused' | 'resumed' | 'removed';

async function save({ store, record }: DigestsDeps, person: Person, plan: SubscriptionPlan, id: string | undefined) {
  const { subscriptions, ledger } = store;
  const { teamId, userId } = person;
  const now = await ledger.now();
  const before = id === undefined ? undefined : await subscriptions.find(teamId, id);
  const next = firstDue(plan.schedule, before, now);
  const saved =
    id === undefined
      ? await subscriptions.create(teamId, plan, { userId, at: now }, next)
      : await subscriptions.change(teamId, id, plan, next);
  if (saved) await record(person, before ? 'digest changed' : 'digest created', detailOf(saved));
  if (!saved || !before?.pause || !isLeftBehind(before, saved)) return saved;
  await subscriptions.goOn(teamId, saved.id, before.pause.reason);
  return (await subscriptions.find(teamId, saved.id)) ?? saved;
}

/** What a channel did not take is no trouble of another. */
function isLeftBehind(before: Subscription, { channelId }: Subscription): boolean {
  return before.channelId !== channelId && before.pause?.reason !== pausedByPerson && !waitsForKey(before);
}

async function postsOf(building: Promise<PreviewMessages | null>): Promise<PreviewPosts> {
  try {
    const messages = await building;
    return messages ? { kind: 'messages', ...messages } : { kind: 'nothing' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: 'problem', sentence: error.publicMessage };
  }
}

/** What was posted at nine is not posted at nine once more because the zone is another one now. */
function firstDue(schedule: Schedule, before: Subscription | undefined, now: number): Due {
  const slot = before?.nextDue ? dueBefore(before.schedule, before.nextDue.slot).slot : undefined;
  return nextDue(schedule, { at: now, slot });
}

function firstDues(schedule: Schedule, before: Subscription | undefined, now: number): readonly Due[] {
  const dues = [firstDue(schedule, before, now)];
  for (let due = dues[0]; due && dues.length < duesShown; dues.push(due)) due = nextDue(schedule, due);
  return dues;
}

/** Named after its minute: pressed twice, a button asks for one. */
function slotNow(now: number) {
  const minute = new Date(now - (now % minuteMs)).toISOString().slice(0, 16);
  return {
    slot: `now ${minute}Z`,
    dueAt: now,
    window: { from: now - dayMs, to: now },
    state: 'due',
    isLate: false,
  } as const;
}

function detailOf({ channelId, schedule, id }: Subscription) {
  return { in: channelId, when: scheduleText(schedule), id };
}
