/** Organizations that installed the bot as a whole: which of their workspaces have it, and which one a payload means. */
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';

export type Organizations = {
  /** @returns the workspaces to which the organization added the bot, at most a minute old. Rejects if Slack does not say */
  readonly workspacesOf: (enterpriseId: string, botToken: string) => Promise<ReadonlySet<string>>;
  /**
   * For a payload that names no workspace: the only workspace that has the bot, or the workspace of the channel.
   * @returns undefined if several are possible. Rejects if Slack does not say
   */
  readonly locate: (
    enterpriseId: string,
    botToken: string,
    channelId: string | undefined,
  ) => Promise<string | undefined>;
  /** Drops what is cached about an organization whose workspaces changed. */
  readonly forget: (enterpriseId: string) => void;
};

/** A workspace that the organization removed is served no longer than this. */
const lifetimeMs = 60_000;
const enterprisesMax = 1_000;
const pageSize = 1_000;
const pagesMax = 50;
/** Slack rarely moves a channel to another workspace. */
const channelLifetimeMs = 10 * 60_000;
const channelsMax = 10_000;

type Granted = { readonly teamIds: Promise<ReadonlySet<string>>; readonly until: number };

export type OrganizationsDeps = { readonly clients: SlackClients; readonly clock: Clock };

export function createOrganizations({ clients, clock }: OrganizationsDeps): Organizations {
  const known = createLruCache<Granted>({ clock, ttlMs: lifetimeMs, entriesMax: enterprisesMax });
  // The promise is cached, so that simultaneous look-ups share a list, and `forget` also drops one that is being read.
  const workspacesOf: Organizations['workspacesOf'] = async (enterpriseId, botToken) => {
    const cached = known.get(enterpriseId);
    if (cached && clock() < cached.until) return cached.teamIds;
    const granted: Granted = { teamIds: listTeams(clients, botToken), until: clock() + lifetimeMs };
    known.set(enterpriseId, granted);
    granted.teamIds.catch(() => {
      if (known.get(enterpriseId) === granted) known.delete(enterpriseId);
    });
    return granted.teamIds;
  };
  const channels = createLruCache<readonly string[]>({ clock, ttlMs: channelLifetimeMs, entriesMax: channelsMax });
  const teamsOf = async (enterpriseId: string, botToken: string, channelId: string) => {
    const key = `${enterpriseId}:${channelId}`;
    const cached = channels.get(key);
    if (cached) return cached;
    const teamIds = await teamsOfChannel(clients, botToken, channelId);
    channels.set(key, teamIds);
    return teamIds;
  };
  return {
    workspacesOf,
    locate: async (enterpriseId, botToken, channelId) => {
      const granted = await workspacesOf(enterpriseId, botToken);
      const isUnclear = granted.size > 1 && channelId !== undefined && /^[CG]/.test(channelId);
      const possible = isUnclear ? await teamsOf(enterpriseId, botToken, channelId) : [...granted];
      const [teamId, ...others] = possible.filter((id) => granted.has(id));
      return others.length === 0 ? teamId : undefined;
    },
    forget: known.delete,
  };
}

/** https://docs.slack.dev/reference/methods/auth.teams.list, which needs no scope. */
async function listTeams(clients: SlackClients, botToken: string): Promise<ReadonlySet<string>> {
  const teamIds = new Set<string>();
  let cursor = '';
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const answer = await clients.of(botToken).auth.teams.list({ limit: pageSize, ...(cursor && { cursor }) });
    for (const { id } of answer.teams ?? []) if (id !== undefined) teamIds.add(id);
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return teamIds;
  }
  throw new Error('Slack lists the workspaces of an organization without an end.');
}

/** https://docs.slack.dev/reference/objects/conversation-object: a channel of several workspaces names all of them. */
async function teamsOfChannel(clients: SlackClients, botToken: string, channel: string): Promise<readonly string[]> {
  const { channel: info } = await clients.of(botToken).conversations.info({ channel });
  if (info?.is_org_shared) return [...new Set([...(info.shared_team_ids ?? []), ...(info.internal_team_ids ?? [])])];
  return info?.context_team_id === undefined ? [] : [info.context_team_id];
}
