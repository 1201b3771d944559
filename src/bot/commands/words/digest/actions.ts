/** Actions on digests: preview, save, pause, resume, remove and request one. Each change is recorded in the audit. */
import { AppError } from '../../../../shared/errors.ts';
import { buildDigest } from '../../../digests/build.ts';
import type { Person } from '../../../domain/person.ts';
import { type Due, dueBefore, nextDue, type Schedule } from '../../../domain/schedule.ts';
import { pausedByPerson, type Subscription, type SubscriptionPlan, waitsForKey } from '../../../domain/subscription.ts';
import type { DigestMessages } from '../../../outbox/ports.ts';
import type { Subscriptions } from '../../../store/repositories/subscriptions.ts';
import { scheduleText } from '../../../views/digest/subscription-text.ts';
import type { Services } from '../../framework/command.ts';

export type DigestPreview = {
  /** Next due times, in order. */
  readonly dues: readonly Due[];
  /** The digest of the last 24 hours. */
  readonly posts: PreviewPosts;
  /** Time of the database's clock, epoch milliseconds. */
  readonly now: number;
};

/** `nothing`: nothing failed, and the plan has no all-clear. `problem`: the failures could not be read. */
type PreviewPosts =
  | ({ readonly kind: 'messages' } & DigestMessages)
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly sentence: string };

const dayMs = 24 * 60 * 60_000;
const minuteMs = 60_000;
const duesShown = 3;

/** @returns as it is now; undefined if it was removed meanwhile */
export async function pauseDigest(services: Services, person: Person, id: string) {
  const at = await services.store.outbox.now();
  return change(services, { person, id, action: 'paused' }, (subscriptions) =>
    subscriptions.pause(person.teamId, id, { reason: pausedByPerson, at, by: person.userId }),
  );
}

/** @returns as it is now; undefined if it was removed meanwhile */
export async function resumeDigest(services: Services, person: Person, id: string) {
  const at = await services.store.outbox.now();
  return change(services, { person, id, action: 'resumed' }, (subscriptions, { schedule }) =>
    subscriptions.resume(person.teamId, id, nextDue(schedule, { at })),
  );
}

/** @returns as it was; undefined if it was removed before */
export async function removeDigest(services: Services, person: Person, id: string) {
  return change(services, { person, id, action: 'removed' }, ({ remove }) => remove(person.teamId, id));
}

type Change = { readonly person: Person; readonly id: string; readonly action: 'paused' | 'resumed' | 'removed' };

function change(
  { audit }: Services,
  { person, id, action }: Change,
  apply: (subscriptions: Subscriptions, found: Subscription) => Promise<boolean>,
): Promise<Subscription | undefined> {
  return audit.audited(async ({ subscriptions }, record) => {
    const found = await subscriptions.find(person.teamId, id);
    if (!found) return undefined;
    if (await apply(subscriptions, found)) await record(person, `digest ${action}`, auditDetail(found));
    return (await subscriptions.find(person.teamId, id)) ?? found;
  });
}

/** Requests one digest of the last 24 hours. @returns false if one was requested within the same minute */
export async function requestDigest(
  { audit, store, wakeOutbox }: Services,
  person: Person,
  subscription: Subscription,
): Promise<boolean> {
  const occurrence = occurrenceNow(await store.outbox.now());
  const isAdded = await audit.audited(async (step, record) => {
    const isNew = await step.outbox.add(person.teamId, subscription.id, occurrence);
    if (isNew) await record(person, 'digest requested', auditDetail(subscription));
    return isNew;
  });
  if (isAdded) wakeOutbox();
  return isAdded;
}

/** @param id the digest that the plan would change; undefined for a new one */
export async function previewDigest(
  services: Services,
  { teamId }: Person,
  plan: SubscriptionPlan,
  id: string | undefined,
): Promise<DigestPreview> {
  const { outbox, subscriptions } = services.store;
  const now = await outbox.now();
  const before = id === undefined ? undefined : await subscriptions.find(teamId, id);
  const posts = await previewPosts(services, teamId, plan, now);
  return { dues: firstDues(plan.schedule, before, now), posts, now };
}

/** @param id the digest to change; undefined for a new one @returns undefined if it was removed meanwhile */
export async function saveDigest(
  { audit, store }: Services,
  person: Person,
  plan: SubscriptionPlan,
  id: string | undefined,
): Promise<Subscription | undefined> {
  const { teamId, userId } = person;
  const now = await store.outbox.now();
  return audit.audited(async ({ subscriptions }, record) => {
    const before = id === undefined ? undefined : await subscriptions.find(teamId, id);
    const next = firstDue(plan.schedule, before, now);
    const saved =
      id === undefined
        ? await subscriptions.create(teamId, plan, { userId, at: now }, next)
        : await subscriptions.change(teamId, id, plan, next);
    if (saved) await record(person, before ? 'digest changed' : 'digest created', auditDetail(saved));
    if (!saved || !before?.pause || before.channelId === saved.channelId) return saved;
    // In another channel, a pause that the old one caused is over.
    if (before.pause.reason === pausedByPerson || waitsForKey(before)) return saved;
    await subscriptions.endPause(teamId, saved.id, before.pause.reason);
    return (await subscriptions.find(teamId, saved.id)) ?? saved;
  });
}

/** Continues after the last occurrence, so that a change of the time zone does not repeat one. */
function firstDue(schedule: Schedule, before: Subscription | undefined, now: number): Due {
  const localTime = before?.nextDue ? dueBefore(before.schedule, before.nextDue.localTime).localTime : undefined;
  return nextDue(schedule, { at: now, localTime });
}

function firstDues(schedule: Schedule, before: Subscription | undefined, now: number): readonly Due[] {
  const dues = [firstDue(schedule, before, now)];
  for (let due = dues[0]; due && dues.length < duesShown; dues.push(due)) due = nextDue(schedule, due);
  return dues;
}

/** The id is the minute, so that a double click requests one digest. */
function occurrenceNow(now: number) {
  const minute = new Date(now - (now % minuteMs)).toISOString().slice(0, 16);
  return {
    occurrenceId: `now ${minute}Z`,
    dueAt: now,
    window: { from: now - dayMs, to: now },
    state: 'due',
    isLate: false,
  } as const;
}

function auditDetail({ channelId, schedule, id }: Subscription) {
  return { in: channelId, when: scheduleText(schedule), id };
}

/** A person waits for the preview; a scheduled digest has more time. */
const previewTimeoutMs = 20_000;

/** @returns the digest as it would be posted, or why it cannot be made */
async function previewPosts(
  { access, connections }: Services,
  teamId: string,
  plan: SubscriptionPlan,
  now: number,
): Promise<PreviewPosts> {
  const signal = AbortSignal.timeout(previewTimeoutMs);
  try {
    const { isRedacting } = await access.settingsOf(teamId);
    const ask = connections.queryClientFor(teamId, { isFresh: false });
    const about = { plan, zone: plan.schedule.zone, window: { from: now - dayMs, to: now }, isRedacting };
    const messages = await buildDigest(ask, { ...about, isLate: false, dueAt: now, missed: [], now }, signal);
    return messages ? { kind: 'messages', ...messages } : { kind: 'nothing' };
  } catch (thrown) {
    const error = thrown === signal.reason ? tooSlow(thrown) : thrown;
    if (!(error instanceof AppError)) throw error;
    return { kind: 'problem', sentence: error.publicMessage };
  }
}

function tooSlow(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'Reading all failures of the last 24 hours took too long for a preview. The posted digest has more time. For a preview, go back and choose fewer workflows.',
    { cause },
  );
}
