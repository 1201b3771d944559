/**
 * The Events API: sends app mentions, direct messages, openings of the Home tab and the app's removal, with Slack's
 * retries.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type JsonRecord, readText } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Delivery, Retry } from '../server/delivery.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Organization } from '../state/organization.ts';
import { type AppIdentity, findChannel, findPerson, type Workspace } from '../state/workspace.ts';

type AppEventsDeps = {
  readonly delivery: Delivery;
  readonly app: AppIdentity;
  readonly clock: Clock;
  readonly log: Logger;
  /** Delay before each retry; one retry per number. */
  readonly retryDelaysMs: readonly number[];
};

/** https://docs.slack.dev/apis/events-api/#retries: at once, after a minute, after five minutes. */
export const slackRetryDelaysMs: readonly number[] = [0, 60_000, 300_000];

const retryReasons = {
  timed_out: 'timeout',
  undelivered: 'connection_failed',
  refused: 'http_error',
} as const satisfies Readonly<Record<string, Retry['reason']>>;

export class AppEvents {
  readonly #deps: AppEventsDeps;
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(deps: AppEventsDeps) {
    this.#deps = deps;
  }

  /** Sends the event for a message if the app subscribes to it; does not wait. */
  sendMessageEvent(message: SlackMessage, workspace: Workspace): void {
    const event = eventOf(message, workspace);
    if (event) void this.send(event, workspace);
  }

  /** Sends any event. Resolves after the first attempt. */
  send(event: JsonRecord, workspace: Workspace): Promise<void> {
    return this.#attempt(envelope(event, workspace, this.#deps), 0, '');
  }

  /** Revokes the tokens, then sends the events. Resolves after the first delivery of each, one after the other. */
  async uninstall(workspace: Workspace): Promise<void> {
    workspace.installation.uninstall();
    await this.send({ type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUserId] } }, workspace);
    await this.send({ type: 'app_uninstalled' }, workspace);
  }

  async uninstallOrganization(organization: Organization): Promise<void> {
    organization.installation.uninstall();
    organization.setAccess([...organization.accessIds], false);
    await this.#sendToOrganization({ type: 'app_uninstalled' }, organization);
  }

  /** Adds the app to workspaces of an organization, or removes it. Resolves after the first delivery of the event. */
  async changeAccess(organization: Organization, teamIds: readonly string[], isGranted: boolean): Promise<void> {
    organization.setAccess(teamIds, isGranted);
    const type = isGranted ? 'team_access_granted' : 'team_access_revoked';
    await this.#sendToOrganization({ type, team_ids: teamIds }, organization);
  }

  /** Stops all retries. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #sendToOrganization(event: JsonRecord, organization: Organization): Promise<void> {
    return this.#attempt(organizationEnvelope(event, organization, this.#deps), 0, '');
  }

  async #attempt(payload: JsonRecord, attempt: number, reason: Retry['reason']): Promise<void> {
    const { delivery, log, retryDelaysMs } = this.#deps;
    const envelope = {
      type: 'events_api',
      payload,
      acceptsResponsePayload: false,
      retry: { attempt, reason },
    } as const;
    const acknowledgement = await delivery.deliver(envelope);
    if (acknowledgement.kind === 'acknowledged' || this.#isClosed) return;
    if (acknowledgement.kind === 'refused' && acknowledgement.isFinal) return;
    const next = retryReasons[acknowledgement.kind];
    const delayMs = retryDelaysMs[attempt];
    log.info({ reason: next, attempt, delayMs }, 'An event was not acknowledged');
    if (delayMs === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#attempt(payload, attempt + 1, next);
    }, delayMs).unref();
    this.#timers.add(timer);
  }
}

/** @returns undefined if the subscriptions of the manifest, the scopes or the bot's memberships exclude the message */
function eventOf(message: SlackMessage, workspace: Workspace): JsonRecord | undefined {
  const { channel, threadTs, ts, text, user } = message;
  const { botUserId, scopes, teamId } = workspace;
  const author = findPerson(workspace, user);
  const target = findChannel(workspace, channel);
  if (!target?.memberIds.includes(botUserId) || user === botUserId || message.isEphemeral) return undefined;
  const thread = threadTs === null ? {} : { thread_ts: threadTs };
  // https://docs.slack.dev/apis/slack-connect: only events in shared channels name the author's home.
  const home = target.isShared && author ? { user_team: author.homeTeamId, source_team: author.homeTeamId } : {};
  const ids = { event_ts: ts, team: teamId, client_msg_id: randomUUID(), ...home };
  const common = { user, text, ts, channel, ...ids, ...thread };
  if (target.kind === 'dm') {
    return scopes.includes('im:history') ? { type: 'message', channel_type: 'im', ...common } : undefined;
  }
  const isHeard = scopes.includes('app_mentions:read') && mentions(text, botUserId);
  return isHeard ? { type: 'app_mention', ...common } : undefined;
}

/** @param text as Slack stores it */
export function mentions(text: string, userId: string): boolean {
  return text.includes(`<@${userId}>`);
}

/** https://docs.slack.dev/apis/events-api/#callback-field */
function envelope(event: JsonRecord, workspace: Workspace, deps: AppEventsDeps): JsonRecord {
  const { teamId, botUserId, organization } = workspace;
  const isWhole = workspace.servingOrganization !== null;
  const channel = findChannel(workspace, readText(event, 'channel') ?? '');
  const fields = {
    team_id: teamId,
    ...(organization && { enterprise_id: organization.id }),
    context_team_id: teamId,
    context_enterprise_id: organization?.id ?? null,
    is_ext_shared_channel: channel?.isShared ?? false,
  };
  const bot = { user_id: botUserId, is_bot: true, is_enterprise_install: isWhole };
  const ids = { enterprise_id: organization?.id ?? null, team_id: isWhole ? null : teamId };
  return { ...delivered(event, deps), ...fields, authorizations: [{ ...ids, ...bot }] };
}

/** An event about an organization's installation, as https://docs.slack.dev/reference/events/team_access_granted shows it. */
function organizationEnvelope(event: JsonRecord, { id, teamIds }: Organization, deps: AppEventsDeps): JsonRecord {
  const [teamId = null] = teamIds;
  const isAccess = String(event['type']).startsWith('team_access');
  const authorization = isAccess
    ? { enterprise_id: id, team_id: teamId, is_bot: false, is_enterprise_install: false }
    : { enterprise_id: id, team_id: null, is_bot: true, is_enterprise_install: true };
  return { ...delivered(event, deps), team_id: null, enterprise_id: id, authorizations: [authorization] };
}

function delivered(event: JsonRecord, { app, clock }: AppEventsDeps): JsonRecord {
  return {
    type: 'event_callback',
    token: app.verificationToken,
    api_app_id: app.id,
    event,
    event_id: `Ev${randomBytes(6).toString('hex').toUpperCase()}`,
    event_time: Math.floor(clock() / 1000),
    event_context: `4-${randomBytes(24).toString('base64url')}`,
  };
}
