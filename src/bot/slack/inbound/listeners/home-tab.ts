/** Publishes a person's Home tab when they open it, and after they changed something that it shows. */
import type { Context } from '@slack/bolt';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { valueWithin } from '../../../../shared/time/timeout.ts';
import { PersonLimit } from '../../../commands/access/person-limit.ts';
import type { HomeOf } from '../../../commands/home.ts';
import type { Person } from '../../../domain/person.ts';
import { type Home, homeView } from '../../../views/home/home.ts';
import { stillAskingMessage } from '../../../views/notices/problem.ts';
import type { SlackClients } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { retryCall } from '../../outbound/web-api/retry.ts';
import { homeNoteAfterMs } from '../../waiting-times.ts';
import { readPerson } from '../middleware/read-payload.ts';
import { faultMessage } from './answering.ts';

export type HomeTabDeps = {
  readonly homeOf: HomeOf;
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly log: Logger;
  /** A short id that names one fault in the Home and in the log. */
  readonly createReference: () => string;
};

type EventArgs = { readonly event: unknown; readonly context: Context };

type HomeRequest = { readonly person: Person; readonly botToken: string; readonly isFresh: boolean };

/** Openings and presses of one person: `views.publish` has one rate for the whole workspace. */
const [publishedMax, publishedSpanMs] = [20, 10_000];

export class HomeTab {
  readonly #deps: HomeTabDeps;
  readonly #publishPermits: PersonLimit;
  /** A tab that is being published has an entry: the request that came meanwhile, since that tab may lack its change. */
  readonly #inFlight = new Map<string, HomeRequest | undefined>();

  constructor(deps: HomeTabDeps) {
    this.#deps = deps;
    this.#publishPermits = new PersonLimit(deps.clock, publishedMax, publishedSpanMs);
  }

  /** Publishes the tab when it is opened, up to the limit of the person. */
  async listen({ event, context: { teamId, botToken } }: EventArgs): Promise<void> {
    const { user, tab } = readRecord(event);
    const person = readPerson(teamId, user);
    if (!person || botToken === undefined || tab !== 'home') return;
    if (this.#mayPublish(person)) await this.#publish({ person, botToken, isFresh: false });
  }

  /**
   * Publishes the tab after a change. Requests during a publication share the next one, and do not wait for it.
   * @param isFresh a press of Refresh: bypasses the cache, as often as the rate limiter allows
   */
  async renew(person: Person, botToken: string, isFresh = false): Promise<void> {
    if (!isFresh || this.#mayPublish(person)) await this.#publish({ person, botToken, isFresh });
  }

  /** A tab that is not published again shows what was published seconds ago. */
  #mayPublish(person: Person): boolean {
    return this.#publishPermits.acquire(person) === 0;
  }

  async #publish(request: HomeRequest): Promise<void> {
    const key = keyOf(request.person);
    if (this.#inFlight.has(key)) {
      this.#inFlight.set(key, { ...request, isFresh: request.isFresh || this.#inFlight.get(key)?.isFresh === true });
      return;
    }
    try {
      for (let next: HomeRequest | undefined = request; next; next = this.#inFlight.get(key)) {
        this.#inFlight.set(key, undefined);
        await publish(this.#deps, next);
      }
    } finally {
      this.#inFlight.delete(key);
    }
  }
}

function keyOf({ teamId, userId }: Person): string {
  return `${teamId}:${userId}`;
}

async function publish(deps: HomeTabDeps, request: HomeRequest): Promise<void> {
  const making = viewFor(deps, request);
  const inTime = await valueWithin(homeNoteAfterMs, making, () => undefined);
  if (!inTime) await show(deps, request, { type: 'home', blocks: [...stillAskingMessage(homeNoteAfterMs).blocks] });
  await show(deps, request, await making);
}

async function show({ clients, log }: HomeTabDeps, { person, botToken }: HomeRequest, view: Home): Promise<void> {
  const published = await retryCall(() => clients.of(botToken).views.publish({ user_id: person.userId, view }));
  if ('error' in published)
    log.warn({ teamId: person.teamId, error: published.error }, 'slack did not show a home tab');
}

async function viewFor({ homeOf, log, createReference }: HomeTabDeps, { person, isFresh }: HomeRequest) {
  try {
    return homeView(await homeOf(person, isFresh));
  } catch (error) {
    const reference = createReference();
    log.error({ teamId: person.teamId, ref: reference, error: describe(error) }, 'home tab could not be made');
    return { type: 'home' as const, blocks: [...faultMessage(reference).blocks] };
  }
}
