/** Somebody opens the bot's Home: it is made anew for them, as things are. */
import type { Context } from '@slack/bolt';
import type { Person } from '../commands/command.ts';
import type { HomeOf } from '../commands/home.ts';
import type { Logger } from '../core/log.ts';
import { homeView } from '../views/home.ts';
import { faultMessage } from './answering.ts';
import type { SlackClients } from './client.ts';
import { readPerson } from './envelope.ts';
import { describe } from './errors.ts';
import { patiently } from './patiently.ts';
import { readRecord } from './read.ts';

export type HomeListenerDeps = {
  readonly homeOf: HomeOf;
  readonly clients: SlackClients;
  readonly log: Logger;
  /** A short id that names one fault in the Home and in the log. */
  readonly createReference: () => string;
};

type Heard = { readonly event: unknown; readonly context: Context };

/** Opened over and over while it is being made, it is made once. */
export function createHomeListener(deps: HomeListenerDeps): (heard: Heard) => Promise<void> {
  const underWay = new Set<string>();
  return async ({ event, context }) => {
    const { user, tab } = readRecord(event);
    const person = readPerson(context.teamId, user);
    const { botToken } = context;
    if (!person || botToken === undefined || tab !== 'home') return;
    const key = `${person.teamId}:${person.userId}`;
    if (underWay.has(key)) return;
    underWay.add(key);
    try {
      await publish(deps, person, botToken);
    } finally {
      underWay.delete(key);
    }
  };
}

async function publish(deps: HomeListenerDeps, person: Person, botToken: string): Promise<void> {
  const { clients, log } = deps;
  const view = await viewFor(deps, person);
  const published = await patiently(async () => {
    await clients.of(botToken).views.publish({ user_id: person.userId, view });
    return { kind: 'done' } as const;
  });
  if ('error' in published) log.warn({ teamId: person.teamId, error: published.error }, 'slack did not show a home');
}

async function viewFor({ homeOf, log, createReference }: HomeListenerDeps, person: Person) {
  try {
    return homeView(await homeOf(person));
  } catch (error) {
    const reference = createReference();
    log.error({ teamId: person.teamId, ref: reference, error: describe(error) }, 'home could not be made');
    return { type: 'home' as const, blocks: [...faultMessage(reference).blocks] };
  }
}
