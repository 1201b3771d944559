/** Suggests workflows and time zones while a person types into a menu, and finds the workflows that a message names. */

import { AppError } from '../../../shared/errors.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { parseReference } from '../../domain/reference.ts';
import { searchZones, zoneOffset } from '../../domain/zones.ts';
import { completeName, namesWithin } from '../../insight/name-match.ts';
import type { WorkflowName } from '../../query/results.ts';
import type { AccessControl } from '../access/access-control.ts';
import { suggestionCost } from '../access/person-limit.ts';
import type { Services } from '../framework/command.ts';
import { hasIdPrefix } from './find-workflow.ts';

/**
 * Uses the cache if the service is slow.
 * @param typed so far: a part of a name, an id or a link; may be empty
 * @returns best match first; undefined while the service gives neither fresh nor cached names. Rejects with AppError if the
 *   person may not ask, also if Slack does not say who they are
 */
export type NameSearch = (person: Person | Actor, typed: string) => Promise<readonly WorkflowName[] | undefined>;

/** Rejects for a person who may not ask now. */
async function admit(access: AccessControl, person: Person | Actor, cost = 1): Promise<void> {
  access.commandQuota.acquire(person, cost);
  await access.authorise({ name: 'search' }, person);
}

/** Slack waits three seconds for the options of a menu. */
const freshTimeoutMs = 1_500;
/** Names are shorter. */
const nameUnitsMax = 200;

export function createNameSearch({ access, connections }: Services): NameSearch {
  return async (person, typed) => {
    await admit(access, person, suggestionCost);
    const ask = connections.queryClientFor(person.teamId, { isFresh: false, freshTimeoutMs });
    const listed = await ask.allWorkflows().catch(undefinedIfRetryable);
    if (!listed) return undefined;
    const { data: workflows } = listed;
    const reference = parseReference(typed.trim());
    switch (reference.kind) {
      case 'uuid':
        return workflows.filter(({ uuid }) => uuid === reference.uuid);
      case 'short': {
        const named = completeName(reference.text.slice(0, nameUnitsMax), workflows);
        return named.length > 0 ? named : workflows.filter((workflow) => hasIdPrefix(workflow, reference.prefix));
      }
      case 'text':
        return completeName(reference.text.slice(0, nameUnitsMax), workflows);
    }
  };
}

function undefinedIfRetryable(error: unknown): undefined {
  if (!(error instanceof AppError && error.isRetryable)) throw error;
}

/**
 * @param text of a message, from outside
 * @returns the workflows that it names. Rejects with AppError if there is neither a fresh nor a cached answer, or the person
 *   may not ask
 */
export type NamesIn = (person: Actor, text: string) => Promise<readonly WorkflowName[]>;

export function createNamesIn({ access, connections }: Services): NamesIn {
  return async (person, text) => {
    await admit(access, person);
    const ask = connections.queryClientFor(person.teamId, { isFresh: false });
    const { data: workflows } = await ask.allWorkflows();
    return namesWithin(text, workflows);
  };
}

type ZoneChoice = {
  /** IANA's name. */
  readonly zone: string;
  /** Now, such as `UTC+01:00`. */
  readonly offset: string;
};

/** The person's own zone first, then those of the workspace's digests. @param typed so far, may be empty @returns best match first, as many as fit a menu. Rejects with AppError if this person may not ask */
export type ZoneSearch = (person: Person | Actor, typed: string) => Promise<readonly ZoneChoice[]>;

const choicesMax = 100;
const zoneUnitsMax = 100;

export function createZoneSearch({ access, members, runtime, store }: Services): ZoneSearch {
  return async (person, typed) => {
    await admit(access, person, suggestionCost);
    const listed = store.subscriptions.list(person.teamId).catch(() => []);
    const [own, subscribed] = await Promise.all([members.zoneOf(person), listed]);
    const likely = [own, ...byCount(subscribed.map(({ schedule }) => schedule.zone))];
    const found = searchZones(typed.slice(0, zoneUnitsMax), likely).slice(0, choicesMax);
    return found.map((zone) => ({ zone, offset: zoneOffset(zone, runtime.clock()) }));
  };
}

/** Without duplicates, the most frequent first. */
function byCount(zones: readonly string[]): readonly string[] {
  const counted = [...Map.groupBy(zones, (zone) => zone)].map(([zone, { length }]) => ({ zone, length }));
  return counted.sort((one, other) => other.length - one.length).map(({ zone }) => zone);
}
