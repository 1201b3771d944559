/** Shared by all interactions: the acting person, delivery to the app, and the outcome. */
import type { BlockProblem } from '../../shared/block-kit/schema.ts';
import type { JsonRecord } from '../../shared/json.ts';
import type { Acknowledgement, Envelope } from '../server/delivery.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Channel, Person } from '../state/seed.ts';
import { canSee, findChannel, findPerson, isVisible, type Workspace } from '../state/workspace.ts';

export type Invoker = {
  readonly workspace: Workspace;
  readonly person: Person;
  readonly channel: Channel;
  /** True if this person may write there, and not only read. */
  readonly isMember: boolean;
};

/** @returns undefined for an unknown person, or a channel that the person cannot see */
export function findInvoker(workspaces: readonly Workspace[], userId: string, channelId: string): Invoker | undefined {
  for (const actor of findActors(workspaces, userId)) {
    const channel = findChannel(actor.workspace, channelId);
    if (channel && canSee(actor.workspace, channel, userId))
      return { ...actor, channel, isMember: channel.memberIds.includes(userId) };
  }
  return undefined;
}

/** The place of a message, and the person who acts on it. */
export type OnMessage = { readonly user: string; readonly channel: string; readonly ts: string };

/** @returns undefined for a message that the person does not see */
export function findMessage({ user, channel, ts }: OnMessage, { workspaces }: LocalSlack) {
  const invoker = findInvoker(workspaces.all, user, channel);
  const message: SlackMessage | undefined = invoker?.workspace.history.find(channel, ts);
  return invoker && message && isVisible(message, user) ? { ...invoker, message } : undefined;
}

/** Result of an act of a person, or Slack's error. */
export type Outcome<T = unknown> =
  | (T & { readonly ok: true })
  | {
      readonly ok: false;
      readonly error: string;
      /** Errors of the inputs of a submission, by block id. */
      readonly errors?: Readonly<Record<string, string>>;
      /** Slackbot's message about a command that failed. */
      readonly message?: SlackMessage;
      /** Problems of the options that the app answered. */
      readonly problems?: readonly BlockProblem[];
    };

/** @param act throws Refused if it fails */
export async function outcomeOf<T extends object>(act: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, ...(await act) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ok: false, error: error.message, ...error.fields };
  }
}

type Acknowledged = Acknowledgement & { readonly kind: 'acknowledged' };

/** @returns the app's acknowledgement @throws Refused if there is none, or the app is not installed */
export async function sendToApp(
  { installation }: Workspace,
  envelope: Envelope,
  { delivery }: LocalSlack,
): Promise<Acknowledged> {
  const sent = installation.isInstalled() ? await delivery.deliver(envelope) : null;
  if (sent?.kind === 'acknowledged') return sent;
  throw new Refused(sent?.kind === 'timed_out' ? 'operation_timeout' : 'dispatch_failed');
}

/**
 * Sends an interaction with a message or a view.
 * @param acceptsResponsePayload true if the acknowledgement may have a payload
 */
export function sendInteraction(
  workspace: Workspace,
  payload: JsonRecord,
  slack: LocalSlack,
  acceptsResponsePayload = false,
): Promise<Acknowledged> {
  return sendToApp(workspace, { type: 'interactive', payload, acceptsResponsePayload }, slack);
}

/** Carries out the app's answer. @throws Refused with this code if the answer is invalid, which is logged */
export function carryOut<T>(code: string, { log }: LocalSlack, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    log.warn({ error: error.message, problems: error.problems }, 'An answer of the app was refused');
    throw new Refused(code, [], error.fields);
  }
}

export type Actor = Pick<Invoker, 'workspace' | 'person'>;

/**
 * Fields of every interactive payload: user, team and app. `user.team_id` is the person's home
 * (https://github.com/slackapi/bolt-js/issues/1875); in an organization's installation there is no team
 * (https://github.com/slackapi/bolt-python/pull/23).
 */
export function actorFields({ workspace, person }: Actor, { app }: LocalSlack): JsonRecord {
  const { organization, teamId, domain } = workspace;
  const isWhole = workspace.servingOrganization !== null;
  const enterprise = organization && { enterprise_id: organization.id, enterprise_name: organization.name };
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: person.homeTeamId },
    team: isWhole ? null : { id: teamId, domain, ...enterprise },
    enterprise: organization && { id: organization.id, name: organization.name },
    is_enterprise_install: isWhole,
    api_app_id: app.id,
    token: app.verificationToken,
  };
}

/** @returns the person and their home workspace; undefined for an unknown id and for a bot */
export function findActor(workspaces: readonly Workspace[], userId: string): Actor | undefined {
  const actors = findActors(workspaces, userId);
  return actors.find(({ workspace, person }) => person.homeTeamId === workspace.teamId) ?? actors[0];
}

/** @returns the person in each of their workspaces */
export function findActors(workspaces: readonly Workspace[], userId: string): readonly Actor[] {
  return workspaces.flatMap((workspace) => {
    const person = findPerson(workspace, userId);
    return person && !person.isBot && !person.isDeleted ? [{ workspace, person }] : [];
  });
}
