/** Suggests time zones while a person types into a menu: their own first, then those of the workspace's digests. */
import type { Clock } from '../../../shared/time/clock.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { searchZones, zoneOffset } from '../../domain/zones.ts';
import type { Subscriptions } from '../../store/repositories/subscriptions.ts';
import type { Authorise } from '../access/authorise.ts';

export type ZoneChoice = {
  /** IANA's name. */
  readonly zone: string;
  /** Now, such as `UTC+01:00`. */
  readonly offset: string;
};

/** @param typed so far, may be empty @returns best match first, as many as a menu holds. Rejects with AppError if this person may not ask */
export type ZoneSearch = (asker: Person | Actor, typed: string) => Promise<readonly ZoneChoice[]>;

export type ZoneSearchDeps = {
  readonly authorise: Authorise;
  /** Never rejects. */
  readonly zoneOf: (person: Person, onWait: () => void) => Promise<string>;
  readonly subscriptions: Pick<Subscriptions, 'list'>;
  readonly clock: Clock;
};

const choicesMax = 100;
const typedUnitsMax = 100;

export function createZoneSearch({ authorise, zoneOf, subscriptions, clock }: ZoneSearchDeps): ZoneSearch {
  return async (asker, typed) => {
    await authorise({ name: 'search' }, asker, () => undefined);
    const [own, standing] = await Promise.all([
      zoneOf(asker, () => undefined),
      subscriptions.list(asker.teamId).catch(() => []),
    ]);
    const likely = [own, ...byCount(standing.map(({ schedule }) => schedule.zone))];
    const found = searchZones(typed.slice(0, typedUnitsMax), likely).slice(0, choicesMax);
    return found.map((zone) => ({ zone, offset: zoneOffset(zone, clock()) }));
  };
}

/** @returns each once, the most frequent first */
function byCount(zones: readonly string[]): readonly string[] {
  const counted = [...Map.groupBy(zones, (zone) => zone)].map(([zone, { length }]) => ({ zone, length }));
  return counted.sort((one, other) => other.length - one.length).map(({ zone }) => zone);
}
