/** Publishes a person's Home tab when they open it, and after they changed something that it shows. */
import { setTimeout as timer } from 'node:timers/promises';
import type { Context } from '@slack/bolt';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { createRateLimiter } from '../../../commands/access/access-control.ts';
import type { HomeOf } from '../../../commands/home.ts';
import type { Person } from '../../../domain/person.ts';
import { type Home, homeView } from '../../../views/home/home.ts';
import { stillAskingMessage } from '../../../views/notices/problem.ts';
import type { SlackClients } from '../../outbound/web-api/client.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { retryNotSent } from '../../outbound/web-api/retry.ts';
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

export type HomeTab = {
  /** Publishes the tab when it is opened. Skipped while one is in flight or the person exceeded the limit. */
  readonly listen: (args: EventArgs) => Promise<void>;
  /**
   * Publishes the tab after a change. Waits for a tab that is being made, since that one may lack the change; requests
   * that wait share the next tab. Never rejects. @param isFresh a press of Refresh: bypasses the cache, as often as the rate
   *   limiter allows
   */
  readonly renew: (person: Person, botToken: string, isFresh?: boolean) => Promise<void>;
};

export function createHomeTab(deps: HomeTabDeps): HomeTab {
  const inFlight = new Map<string, Promise<void>>();
  const waiting = new Map<string, { readonly isFresh: boolean; readonly made: Promise<void> }>();
  const keyOf = ({ teamId, userId }: Person) => `${teamId}:${userId}`;
  const mayPublish = createMayPublish(deps.clock);
  const make = (person: Person, botToken: string, isFresh = false) => {
    const key = keyOf(person);
    const made = publish(deps, { person, isFresh }, botToken).finally(() => {
      if (inFlight.get(key) === made) inFlight.delete(key);
    });
    inFlight.set(key, made);
    return made;
  };
  const makeNext = (person: Person, botToken: string) => {
    const isFresh = waiting.get(keyOf(person))?.isFresh;
    waiting.delete(keyOf(person));
    return make(person, botToken, isFresh);
  };
  return {
    listen: async ({ event, context }) => {
      const { user, tab } = readRecord(event);
      const person = readPerson(context.teamId, user);
      const { botToken } = context;
      if (!person || botToken === undefined || tab !== 'home' || inFlight.has(keyOf(person))) return;
      if (!mayPublish(person)) return;
      await make(person, botToken);
    },
    renew: async (person, botToken, isFresh = false) => {
      if (isFresh && !mayPublish(person)) return;
      const key = keyOf(person);
      const earlier = inFlight.get(key);
      if (!earlier) return make(person, botToken, isFresh);
      const next = waiting.get(key) ?? { isFresh: false, made: earlier.then(() => makeNext(person, botToken)) };
      waiting.set(key, { ...next, isFresh: next.isFresh || isFresh });
      return next.made;
    },
  };
}

/** One person's openings and presses within ten seconds: `views.publish` has one rate for the whole workspace. */
const publishedMax = 20;

/** A tab that is not published again shows what was published seconds ago. */
function createMayPublish(clock: Clock): (person: Person) => boolean {
  const publishPermits = createRateLimiter(clock, publishedMax);
  return (person) => publishPermits.acquire(person) === 0;
}

type HomeRequest = { readonly person: Person; readonly isFresh: boolean };

async function publish(deps: HomeTabDeps, request: HomeRequest, botToken: string): Promise<void> {
  const { clients, log } = deps;
  const { person } = request;
  const show = async (view: Home) => {
    const published = await retryNotSent(async () => {
      await clients.of(botToken).views.publish({ user_id: person.userId, view });
      return { kind: 'done' } as const;
    });
    if ('error' in published)
      log.warn({ teamId: person.teamId, error: published.error }, 'slack did not show a home tab');
  };
  const made = new AbortController();
  const waiting = timer(waitingAfterMs, undefined, { signal: made.signal }).then(
    () => show(waitingView()),
    () => undefined,
  );
  const view = await viewFor(deps, request).finally(() => {
    made.abort();
    return waiting;
  });
  await show(view);
}

/** A cached Home comes sooner than this. */
const waitingAfterMs = 2_500;

function waitingView(): Home {
  return { type: 'home', blocks: [...stillAskingMessage(waitingAfterMs).blocks] };
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
