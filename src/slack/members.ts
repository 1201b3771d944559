/** What we know of people: the time zone they read in. */
import type { Actor } from '../commands/command.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';
import type { Workspaces } from './workspaces.ts';

export type MembersDeps = {
  readonly clients: SlackClients;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  readonly log: Logger;
};

export type Members = {
  /**
   * @param onWait called before Slack has to be asked
   * @returns the person's IANA time zone; `Etc/UTC` where Slack does not say. Never rejects
   */
  readonly zoneOf: (actor: Pick<Actor, 'teamId' | 'userId'>, onWait: () => void) => Promise<string>;
};

const unknownZone = 'Etc/UTC';
/** People travel, but not by the minute. */
const zoneLifetimeMs = 6 * 60 * 60_000;
const failureLifetimeMs = 60_000;
const peopleMax = 10_000;
/** An answer in UTC now is worth more than one in local time later. */
const patienceMs = 2_000;

type Known = { readonly zone: Promise<string>; readonly until: number };

export function createMembers(deps: MembersDeps): Members {
  const knownByPerson = new Map<string, Known>();
  const remember = (key: string, known: Known) => {
    knownByPerson.delete(key);
    knownByPerson.set(key, known);
    const [oldest] = knownByPerson.keys();
    if (knownByPerson.size > peopleMax && oldest !== undefined) knownByPerson.delete(oldest);
  };
  return {
    zoneOf: async (person, onWait) => {
      const key = `${person.teamId}:${person.userId}`;
      const known = knownByPerson.get(key);
      if (known && known.until > deps.clock()) return known.zone;
      onWait();
      const zone = askZone(deps, person).catch((error: unknown) => {
        deps.log.warn({ teamId: person.teamId, error: classifyThrown(error).error }, 'time zone not known, using UTC');
        remember(key, { zone: Promise.resolve(unknownZone), until: deps.clock() + failureLifetimeMs });
        return unknownZone;
      });
      remember(key, { zone, until: deps.clock() + zoneLifetimeMs });
      return zone;
    },
  };
}

async function askZone(
  { clients, workspaces }: MembersDeps,
  person: Pick<Actor, 'teamId' | 'userId'>,
): Promise<string> {
  const workspace = await workspaces.find(person.teamId);
  if (!workspace) throw new Error('The bot is not installed in this workspace.');
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('Slack did not say in time.')), patienceMs);
  try {
    const asked = clients.of(workspace.botToken).users.info({ user: person.userId });
    const { user } = await Promise.race([asked, late.promise]);
    return isZone(user?.tz) ? user.tz : unknownZone;
  } finally {
    clearTimeout(timer);
  }
}

function isZone(name: unknown): name is string {
  if (typeof name !== 'string') return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
