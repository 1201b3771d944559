/** Slack Connect check: finds out if people of another company read a conversation. It fails closed. */
import { WebAPIPlatformError } from '@slack/web-api';
import { createLruCache, type LruCache } from '../../../../shared/cache/lru-cache.ts';
import { readRecord, readText } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import { requiredScopes } from '../../installation/scopes.ts';
import type { Audience, AudienceOf, Conversation, Place } from './audience.ts';
import type { SlackClients } from './client.ts';
import { classifyThrown } from './errors.ts';

/** Slack may report a change to another process only. */
const knownMs = 60_000;
/** A failed lookup is repeated for the next post, which must not reach strangers; for the labels of buttons only after a minute. */
const unknownMs = { audience: 0, place: knownMs } as const;
/** Slack never changes the id of a person's direct messages with the bot. */
const directLifetimeMs = 60 * 60_000;
const channelsMax = 10_000;
/** Leaves enough of a send's ten seconds for the call itself in nearly every case. */
const audienceWithinMs = 2_500;
/** An answer does not wait longer for the labels of its buttons. */
const placeWithinMs = 500;

/** No method rejects. */
export class ConnectCheck {
  readonly #clients: SlackClients;
  readonly #clock: Clock;
  readonly #withinMs: { readonly audience: number; readonly place: number };
  /** Answers by channel, then by token, since a process may serve both companies of a shared channel. */
  readonly #answers: LruCache<Map<string, Answer>>;
  readonly #limitedUntil: LruCache<number>;
  readonly #directs: LruCache<string>;

  /** @param clients without this check @param timeoutMs replaces both limits */
  constructor(clients: SlackClients, clock: Clock, timeoutMs?: number) {
    this.#clients = clients;
    this.#clock = clock;
    this.#withinMs = { audience: timeoutMs ?? audienceWithinMs, place: timeoutMs ?? placeWithinMs };
    this.#answers = createLruCache({ clock, ttlMs: knownMs, entriesMax: channelsMax });
    this.#limitedUntil = createLruCache({ clock, ttlMs: 60 * 60_000, entriesMax: 1_000 });
    this.#directs = createLruCache({ clock, ttlMs: directLifetimeMs, entriesMax: channelsMax });
  }

  /** Answers within the time-out, from a cache of one minute if possible. */
  readonly audienceOf: AudienceOf = async ({ botToken, channelId }) => {
    if (botToken === undefined) return 'sharing_unknown';
    // A bot's token reaches no direct messages except those of one person with the bot.
    if (channelId.startsWith('D')) return 'own';
    const answer = this.#answerOf(botToken, channelId, unknownMs.audience);
    const { audience } = await withDeadline(this.#withinMs.audience, answer.seen);
    // If the sharing changed during the question, the answer may be outdated.
    const isOutdated = () => this.#answerOf(botToken, channelId, unknownMs.audience) !== answer;
    return audience === 'own' && isOutdated() ? 'sharing_unknown' : audience;
  };

  /** As `audienceOf`, for a message that Slack posts itself: a direct message may be between two people. */
  async audienceOfResponseUrl(conversation: Conversation, userId: string): Promise<Audience> {
    const { botToken, channelId } = conversation;
    if (!channelId.startsWith('D')) return this.audienceOf(conversation);
    if (botToken === undefined) return 'sharing_unknown';
    return (await withDeadline(this.#withinMs.audience, this.#seenDirect(botToken, channelId, userId))).audience;
  }

  /** As `audienceOfResponseUrl`, for the buttons of a message: an answer of the last minute will do, also one that tells nothing. */
  async placeOf({ botToken, channelId }: Conversation, userId: string): Promise<Place> {
    if (botToken === undefined) return placeFrom(unseen);
    const seen = channelId.startsWith('D')
      ? this.#seenDirect(botToken, channelId, userId)
      : this.#answerOf(botToken, channelId, unknownMs.place).seen;
    return placeFrom(await withDeadline(this.#withinMs.place, seen));
  }

  /** Drops what is cached of a channel whose sharing changed, or that the bot left. */
  forget(channelId: string): void {
    this.#answers.delete(channelId);
  }

  /** Callers that ask at the same time share one question. */
  #answerOf(botToken: string, channelId: string, unknownForMs: number): Answer {
    const now = this.#clock();
    const byToken = this.#answers.get(channelId) ?? new Map<string, Answer>();
    const cached = byToken.get(botToken);
    if (cached && now < cached.requestedAt + (cached.isUnknown ? unknownForMs : knownMs)) return cached;
    const answer: Answer = { seen: this.#lookUp(botToken, channelId), requestedAt: now, isUnknown: false };
    void answer.seen.then(({ audience }) => {
      answer.isUnknown = audience !== 'own' && audience !== 'channel_is_shared';
    });
    byToken.set(botToken, answer);
    this.#answers.set(channelId, byToken);
    return answer;
  }

  /** Asks Slack and respects its rate limit for each workspace. Never rejects. */
  async #lookUp(botToken: string, channel: string): Promise<Seen> {
    if (this.#clock() < (this.#limitedUntil.get(botToken) ?? 0)) return unseen;
    try {
      const { channel: info } = await this.#clients.of(botToken).conversations.info({ channel });
      return info ? { audience: audienceIn(info), isMember: info.is_member !== false } : unseen;
    } catch (thrown) {
      const { retryAfterMs } = classifyThrown(thrown);
      if (retryAfterMs !== undefined) this.#limitedUntil.set(botToken, this.#clock() + retryAfterMs);
      return { audience: reasonOf(thrown), isMember: true };
    }
  }

  /** Slack tells an app nothing about other direct messages; those with the bot itself are known by their id. */
  async #seenDirect(botToken: string, channelId: string, userId: string): Promise<Seen> {
    const key = `${botToken} ${userId}`;
    const { conversations } = this.#clients.of(botToken);
    const id = this.#directs.get(key) ?? (await conversations.open({ users: userId })).channel?.id;
    if (id === undefined) return unseen;
    this.#directs.set(key, id);
    return { audience: id === channelId ? 'own' : 'sharing_needs_membership', isMember: true };
  }
}

type Seen = { readonly audience: Audience; readonly isMember: boolean };
type Answer = {
  readonly seen: Promise<Seen>;
  readonly requestedAt: number;
  /** True once Slack gave no answer that is certain. */
  isUnknown: boolean;
};

const unseen: Seen = { audience: 'sharing_unknown', isMember: true };

/** Takes nothing away that is not known to be refused. */
function placeFrom({ audience, isMember }: Seen): Place {
  const isOpen = audience === 'own' || audience === 'sharing_unknown';
  return { isShareable: isOpen, takesThreads: isOpen && isMember };
}

/** The question continues; its answer serves the next attempt. */
function withDeadline(ms: number, seen: Promise<Seen>): Promise<Seen> {
  return withTimeout(ms, seen, 'Slack did not answer in time.').catch(() => unseen);
}

type ChannelInfo = NonNullable<Awaited<ReturnType<ReturnType<SlackClients['of']>['conversations']['info']>>['channel']>;

/**
 * A channel of several workspaces of one Enterprise organization (`is_org_shared`) is read by one company. An
 * invitation counts before it is accepted, since people who accept it can read earlier messages.
 */
function audienceIn(info: ChannelInfo): Audience {
  const others = [info.pending_shared, info.pending_connected_team_ids, info.connected_team_ids];
  const isShared =
    info.is_ext_shared ||
    info.is_pending_ext_shared ||
    (info.is_shared && !info.is_org_shared) ||
    info.connected_limited_team_ids?.length ||
    others.some((teamIds) =>
      teamIds?.some((teamId) => teamId !== info.context_team_id && !info.internal_team_ids?.includes(teamId)),
    );
  if (isShared) return 'channel_is_shared';
  return info.is_ext_shared === false ? 'own' : 'sharing_unknown';
}

/** https://docs.slack.dev/reference/methods/conversations.info#errors */
function reasonOf(thrown: unknown): Audience {
  if (!(thrown instanceof WebAPIPlatformError)) return 'sharing_unknown';
  const { error } = thrown.data;
  if (error === 'channel_not_found') return 'sharing_needs_membership';
  if (error !== 'missing_scope') return 'sharing_unknown';
  const [needed, provided] = [listIn(thrown.data, 'needed'), listIn(thrown.data, 'provided')];
  const isLacking = requiredScopes.some((scope) => needed.includes(scope) && !provided.includes(scope));
  // The direct messages of a group need a scope that the bot does not request.
  return isLacking || needed.length === 0 ? 'sharing_needs_scopes' : 'sharing_needs_membership';
}

/** @returns the scopes that Slack lists under this name */
function listIn(refusal: unknown, name: 'needed' | 'provided'): readonly string[] {
  return readText(readRecord(refusal), name)?.split(',') ?? [];
}
