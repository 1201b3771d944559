/** Posts messages of the outbox with one call each, reports only certain outcomes, and finds those that were posted. */

import type { JsonRecord } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { valueWithin } from '../../../../shared/time/timeout.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import type { FoundIn, MessageVariant, OutboxPosting, PostTarget, Sent } from '../../../outbox/ports.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Workspace, Workspaces } from '../../installation/workspaces.ts';
import { type AudienceOf, type SharingBlock, WithheldError } from '../web-api/audience.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import { classifyThrown, isOutage } from '../web-api/errors.ts';
import {
  type HistoryReader,
  metadataOf,
  type OwnMessage,
  type ReadHistory,
  type Root,
  readOwnMessage,
  readRoot,
} from '../web-api/history-reader.ts';
import { retryCall } from '../web-api/retry.ts';
import { type Content, contentsOf } from './payload.ts';

export type OutboxPostingDeps = {
  readonly clients: SlackClients;
  readonly history: HistoryReader;
  readonly notifyPerson: OutboxPosting['notifyUser'];
  readonly workspaces: Workspaces;
  readonly audienceOf: AudienceOf;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  /** Monotonic, for durations. */
  readonly uptime: Clock;
  /** Limit for the look-up before a call, in milliseconds. */
  readonly lookUpMaxMs?: number | undefined;
};

/** The look-up and the call share a deadline of ten seconds. */
const lookUpMaxDefaultMs = 1_000;
const soonMs = 5_000;
/** The token is checked again meanwhile. */
const refusedTokenMs = 5 * 60_000;
const slackIsDown = 'slack_is_down';

export function createOutboxPosting(deps: OutboxPostingDeps): OutboxPosting {
  const { clients, workspaces, audienceOf, uptime, slashCommand, history, lookUpMaxMs = lookUpMaxDefaultMs } = deps;
  const breaker = new CircuitBreaker(uptime);
  const readMessages = history(readFound);
  const readRoots = history(readRoot);
  return {
    send: async (to, message, opaqueId, variant = 'whole') => {
      const startedAt = uptime();
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return workspace;
      if (uptime() - startedAt > lookUpMaxMs) return notSent('look_up_took_too_long', soonMs);
      if (breaker.waitMs() > 0) return notSent(slackIsDown, breaker.waitMs());
      const conversation = { botToken: workspace.botToken, channelId: to.channelId };
      // A late answer serves the next attempt.
      const leftMs = lookUpMaxMs - (uptime() - startedAt);
      const audience = await valueWithin(leftMs, audienceOf(conversation), () => undefined);
      if (audience === undefined) return notSent('sharing_unknown', soonMs);
      if (audience !== 'own') return withheldFailure(audience);
      const call = {
        ...callOf(targetOf(to, workspace), opaqueId, variant),
        ...contentOf(message, variant, slashCommand),
      };
      if (breaker.waitMs() > 0) return notSent(slackIsDown, breaker.waitMs());
      return breaker.run(
        () => clients.of(workspace.botToken).chat.postMessage(call).then(postedOf, failureOf),
        (result) => result.kind === 'posted' || !isOutage(result),
      );
    },
    find: async (to, range, waitMsMax) => {
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return { ...workspace, kind: workspace.kind === 'permanent' ? 'unreadable' : 'later' };
      const target = targetOf(to, workspace);
      const found = await readMessages({ target, span: range, waitMsMax });
      if (!('kind' in found)) return found.filter((message) => isOurs(message, workspace));
      const isCounted = found.kind === 'unreadable' && to.threadTs !== undefined;
      const unseen = isCounted ? await countReplies(readRoots, target, waitMsMax) : found;
      return 'error' in unseen && errorMeans(unseen.error, 'token_refused') ? { ...unseen, kind: 'later' } : unseen;
    },
    remove: async (to, ts) => {
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return false;
      const { chat } = clients.of(workspace.botToken);
      const removed = await retryCall(() => chat.delete({ channel: to.channelId, ts }));
      return removed.kind === 'done' || errorMeans(removed.error, 'message_gone');
    },
    notifyUser: deps.notifyPerson,
  };
}

type Found = OwnMessage & { readonly userId: unknown; readonly botId: unknown };

function readFound(message: JsonRecord): readonly Found[] {
  return readOwnMessage(message).map((own) => ({ ...own, userId: message['user'], botId: message['bot_id'] }));
}

/**
 * Slack's page says that no bot may read the replies in a channel, but their root is in its history:
 * https://docs.slack.dev/reference/methods/conversations.replies.
 */
async function countReplies(
  readRoots: ReadHistory<Root>,
  { threadTs, ...channel }: MessageTarget,
  waitMsMax: number,
): Promise<FoundIn> {
  const at = Number(threadTs) * 1000;
  const roots = await readRoots({ target: channel, span: { from: at - 1000, to: at + 1000 }, waitMsMax });
  if ('kind' in roots) return roots;
  const root = roots.find(({ ts }) => ts === threadTs);
  return root ? { kind: 'counted', count: root.count, lastTs: root.lastTs } : [];
}

/** Checks the author, since another app can add the same metadata. */
function isOurs({ userId, botId }: Found, workspace: Workspace): boolean {
  return userId === workspace.botUserId || (workspace.botId !== undefined && botId === workspace.botId);
}

function notSent(error: string, retryAfterMs: number): Failure {
  return { kind: 'not_sent', error, retryAfterMs };
}

/** If the audience is unknown, the message waits; a channel that the bot cannot see gets none. */
function withheldFailure(word: SharingBlock): Failure {
  return { kind: errorMeans(word, 'audience_unknown') ? 'not_sent' : 'permanent', error: word };
}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof WithheldError) return withheldFailure(thrown.word);
  const failure = classifyThrown(thrown);
  return errorMeans(failure.error, 'token_refused') ? notSent(failure.error, refusedTokenMs) : failure;
}

async function workspaceOf(workspaces: Workspaces, teamId: string): Promise<Workspace | Failure> {
  try {
    const workspace = await workspaces.find(teamId);
    if (workspace?.isRefused) return notSent('invalid_auth', refusedTokenMs);
    return workspace ?? { kind: 'permanent', error: 'not_installed' };
  } catch {
    return notSent('workspace_lookup_failed', soonMs);
  }
}

function targetOf({ channelId, threadTs }: PostTarget, { botToken }: Workspace): MessageTarget {
  return { botToken, channelId, ...(threadTs !== undefined && { threadTs }) };
}

function callOf({ channelId, threadTs }: MessageTarget, opaqueId: string, variant: MessageVariant) {
  return {
    ...{ channel: channelId, unfurl_links: false, unfurl_media: false },
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(variant !== 'unmarked' && { metadata: metadataOf(opaqueId) }),
  };
}

function contentOf(message: Message, variant: MessageVariant, slashCommand: string): Content {
  const forms = contentsOf(message, (one) => fitMessage(one, slashCommand));
  switch (variant) {
    case 'text':
      return forms.at(-1) ?? forms[0];
    case 'lists':
    case 'unmarked':
      return forms[1]?.blocks ? forms[1] : forms[0];
    case 'whole':
      return forms[0];
  }
}

function postedOf({ ts }: { readonly ts?: string | undefined }): Sent {
  return ts ? { kind: 'posted', ts } : { kind: 'unknown', error: 'no_ts' };
}

/** Each failed call may have posted a message, which the bot has to look for later. */
const failuresMax = 20;
const probeEveryMs = 10_000;

export class CircuitBreaker {
  readonly #clock: Clock;
  #failures = 0;
  #openUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the milliseconds until a call may be made; 0 if it may be made now */
  waitMs(): number {
    return this.#failures < failuresMax ? 0 : Math.max(0, this.#openUntil - this.#clock());
  }

  /** Makes a call and records its outcome; an error is a failure. Call it only if `waitMs()` is 0. */
  async run<Result>(call: () => Promise<Result>, isSuccess: (result: Result) => boolean): Promise<Result> {
    // This call is the probe; the others wait for its outcome.
    this.#open();
    let hasSucceeded = false;
    try {
      const result = await call();
      hasSucceeded = isSuccess(result);
      return result;
    } finally {
      this.#failures = hasSucceeded ? 0 : this.#failures + 1;
      this.#open();
    }
  }

  #open(): void {
    if (this.#failures >= failuresMax) this.#openUntil = this.#clock() + probeEveryMs;
  }
}
