/** Publishes a person's Home tab when they open it, and after they changed something that it shows. */
import { readRecord } from '../../../../shared/json.ts';
import { valueWithin } from '../../../../shared/time/timeout.ts';
import { PersonLimit } from '../../../commands/access/person-limit.ts';
import type { HomeOf } from '../../../commands/home.ts';
import type { Person } from '../../../domain/person.ts';
import type { Runtime } from '../../../domain/runtime.ts';
import { type Home, homeView } from '../../../views/home/home.ts';
import { stillAskingMessage } from '../../../views/notices/problem.ts';
import type { SlackClients } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { retryCall } from '../../outbound/web-api/retry.ts';
import { homeNoteAfterMs } from '../../waiting-times.ts';
import { type EventArgs, readPerson } from '../middleware/read-payload.ts';
import { faultMessage } from './answering.ts';

type HomeRequest = { readonly person: Person; readonly botToken: string; readonly isFresh: boolean };

/** Openings and presses of one person: `views.publish` has one rate for the whole workspace. */
const [publishedMax, publishedSpanMs] = [20, 10_000];

export class HomeTab {
  readonly #runtime: Runtime;
  readonly #clients: SlackClients;
  readonly #homeOf: HomeOf;
  readonly #publishPermits: PersonLimit;
  /** A tab that is being published has an entry: the request that came meanwhile, since that tab may lack its change. */
  readonly #inFlight = new Map<string, HomeRequest | undefined>();

  constructor(runtime: Runtime, clients: SlackClients, homeOf: HomeOf) {
    this.#runtime = runtime;
    this.#clients = clients;
    this.#homeOf = homeOf;
    this.#publishPermits = new PersonLimit(runtime.clock, publishedMax, publishedSpanMs);
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
    const { teamId, userId } = request.person;
    const key = `${teamId}:${userId}`;
    if (this.#inFlight.has(key)) {
      this.#inFlight.set(key, { ...request, isFresh: request.isFresh || this.#inFlight.get(key)?.isFresh === true });
      return;
    }
    try {
      for (let next: HomeRequest | undefined = request; next; next = this.#inFlight.get(key)) {
        this.#inFlight.set(key, undefined);
        await this.#publishOnce(next);
      }
    } finally {
      this.#inFlight.delete(key);
    }
  }

  async #publishOnce(request: HomeRequest): Promise<void> {
    const making = this.#viewFor(request);
    const inTime = await valueWithin(homeNoteAfterMs, making, () => undefined);
    if (!inTime) await this.#show(request, { type: 'home', blocks: [...stillAskingMessage(homeNoteAfterMs).blocks] });
    await this.#show(request, await making);
  }

  async #show({ person, botToken }: HomeRequest, view: Home): Promise<void> {
    const { views } = this.#clients.of(botToken);
    const published = await retryCall(() => views.publish({ user_id: person.userId, view }));
    if ('error' in published)
      this.#runtime.log.warn({ teamId: person.teamId, error: published.error }, 'slack did not show a home tab');
  }

  async #viewFor({ person, isFresh }: HomeRequest): Promise<Home> {
    const { log, createReference } = this.#runtime;
    try {
      return homeView(await this.#homeOf(person, isFresh));
    } catch (error) {
      const reference = createReference();
      log.error({ teamId: person.teamId, ref: reference, error: describe(error) }, 'home tab could not be made');
      return { type: 'home', blocks: [...faultMessage(reference).blocks] };
    }
  }
}
