/** Time zones and memberships of people in a workspace, cached. */

import { createLruCache, type LruCache } from '../../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../../shared/errors.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { Members } from '../../../commands/access/access-control.ts';
import type { Person } from '../../../domain/person.ts';
import type { Membership } from '../../../domain/role.ts';
import type { Runtime } from '../../../domain/runtime.ts';
import { isZone } from '../../../domain/schedule.ts';
import { errorMeans } from '../../../domain/slack-errors.ts';
import type { Workspaces } from '../../installation/workspaces.ts';
import type { SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';

const unknownZone = 'Etc/UTC';
/** Time zones change rarely. */
const zoneLifetimeMs = 6 * 60 * 60_000;
const failureLifetimeMs = 60_000;
/** A person who is no longer an admin in Slack loses the admin's rights here within this time. */
const membershipLifetimeMs = 60_000;
/** For reading only. A member who became a guest counts as a guest after this time. */
const knownLifetimeMs = 10 * 60_000;
/** Cached people of one workspace. */
const peopleMax = 500;
const workspacesMax = 1_000;
/** A quick answer in UTC, or a quick refusal, is better than a late answer. */
const timeoutMs = 2_000;

type MemberFacts = { readonly zone: string; readonly membership: Membership };
type Known = MemberFacts & { readonly requestedAt: number };
/** One cache for each workspace, so that a workspace with many people evicts no person of another. */
type PeopleOf = {
  readonly known: LruCache<Known>;
  /** Until when the time zone of a person counts as unknown, after a failed look-up. */
  readonly noZoneUntil: LruCache<number>;
};

export function createMembers(clients: SlackClients, served: Workspaces, { clock, log }: Runtime): Members {
  const workspaces = createLruCache<PeopleOf>({ entriesMax: workspacesMax });
  const inFlight = new Map<string, Promise<MemberFacts>>();
  const peopleOf = (teamId: string): PeopleOf => {
    const people = workspaces.get(teamId) ?? {
      known: createLruCache<Known>({ clock, ttlMs: zoneLifetimeMs, entriesMax: peopleMax }),
      noZoneUntil: createLruCache<number>({ clock, ttlMs: failureLifetimeMs, entriesMax: peopleMax }),
    };
    workspaces.set(teamId, people);
    return people;
  };
  const knownOf = ({ teamId, userId }: Person, lifetimeMs: number): MemberFacts | undefined => {
    const facts = peopleOf(teamId).known.get(userId);
    return facts && clock() < facts.requestedAt + lifetimeMs ? facts : undefined;
  };
  const fetchAnew = async (person: Person): Promise<MemberFacts> => {
    const known: Known = { requestedAt: clock(), ...(await fetchFacts(clients, served, person)) };
    peopleOf(person.teamId).known.set(person.userId, known);
    return known;
  };
  /** Simultaneous look-ups of one person share a call. */
  const lookUp = (person: Person): Promise<MemberFacts> => {
    const key = `${person.teamId}:${person.userId}`;
    const answer = inFlight.get(key) ?? fetchAnew(person).finally(() => inFlight.delete(key));
    inFlight.set(key, answer);
    return answer;
  };
  return {
    zoneOf: async (person) => {
      const known = knownOf(person, zoneLifetimeMs);
      if (known) return known.zone;
      if (clock() < (peopleOf(person.teamId).noZoneUntil.get(person.userId) ?? 0)) return unknownZone;
      try {
        return (await lookUp(person)).zone;
      } catch (error) {
        log.warn({ teamId: person.teamId, error: classifyThrown(error).error }, 'time zone not known, using UTC');
        peopleOf(person.teamId).noZoneUntil.set(person.userId, clock() + failureLifetimeMs);
        return unknownZone;
      }
    },
    membershipOf: async (person) => {
      const known = knownOf(person, membershipLifetimeMs);
      if (known) return known.membership;
      try {
        return (await lookUp(person)).membership;
      } catch (cause) {
        log.warn({ teamId: person.teamId, error: classifyThrown(cause).error }, 'slack did not say who a person is');
        throw identityUnknown(cause);
      }
    },
    knownMembershipOf: (person) => knownOf(person, knownLifetimeMs)?.membership,
    knownAdminIds: (teamId) => adminsAmong(peopleOf(teamId).known),
  };
}

function adminsAmong(known: LruCache<Known>): readonly string[] {
  return [...known.entries()].flatMap(([userId, { membership }]) => (membership === 'admin' ? [userId] : []));
}

function identityUnknown(cause: unknown): AppError {
  return new AppError('unavailable', 'Slack did not say who you are. Try again in a minute.', {
    cause,
    isRetryable: true,
  });
}

async function fetchFacts(clients: SlackClients, served: Workspaces, person: Person): Promise<MemberFacts> {
  const user = await fetchUser(clients, served, person);
  if (user === 'not_listed') return { zone: unknownZone, membership: 'external' };
  const { tz } = user;
  const zone = typeof tz === 'string' && isZone(tz) ? tz : unknownZone;
  return { zone, membership: membershipIn(user, person.teamId) };
}

type SlackUser = NonNullable<Awaited<ReturnType<ReturnType<SlackClients['of']>['users']['info']>>['user']>;

async function fetchUser(
  clients: SlackClients,
  served: Workspaces,
  { teamId, userId }: Person,
): Promise<SlackUser | 'not_listed'> {
  const workspace = await served.find(teamId);
  if (!workspace) throw new Error('The bot is not installed in this workspace.');
  const answer = clients.of(workspace.botToken).users.info({ user: userId });
  try {
    const { user } = await withTimeout(timeoutMs, answer, 'Slack did not answer in time.');
    if (user) return user;
  } catch (thrown) {
    if (errorMeans(classifyThrown(thrown).error, 'person_unknown')) return 'not_listed';
    throw thrown;
  }
  throw new Error('Slack said nothing of the person.');
}

/**
 * https://docs.slack.dev/reference/objects/user-object: owners are also flagged as admins, but no document promises
 * that. `is_stranger` is absent for people of another company in a shared channel, so the workspaces decide too.
 */
function membershipIn(user: SlackUser, teamId: string): Membership {
  if (user.deleted) return 'deactivated';
  // In an Enterprise organization a person has one home workspace and is a member of several.
  const teamIds = [user.team_id, ...(user.enterprise_user?.teams ?? [])];
  if (user.is_stranger || !teamIds.includes(teamId)) return 'external';
  if (user.is_ultra_restricted) return 'single_channel_guest';
  if (user.is_restricted) return 'guest';
  return user.is_admin || user.is_owner || user.is_primary_owner ? 'admin' : 'member';
}
