/** Posts messages of the outbox with one call each, reports only certain outcomes, and finds those that were posted. */

import type { JsonRecord } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import type { FoundIn, MessageVariant, OutboxPosting, PostTarget, Sent } from '../../../outbox/ports.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Workspace, Workspaces } from '../../installation/workspaces.ts';
import { type Audience, type AudienceOf, type SharingBlock, WithheldError } from '../web-api/audience.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import { classifyThrown, isOutage } from '../web-api/errors.ts';
import { metadataOf, type OwnMessage, type Root, readOwnMessage, readRoot } from '../web-api/history.ts';
import type { HistoryReader, ReadHistory } from '../web-api/history-reader.ts';
import { type Content, contentsOf } from './payload.ts';
import type { Posting } from './posting.ts';

export type OutboxPostingDeps = {
  readonly clients: SlackClients;
  readonly history: HistoryReader;
  readonly notifyPerson: OutboxPosting['notifyUser'];
  readonly workspaces: Workspaces;
  readonly posting: Pick<Posting, 'remove'>;
  readonly audienceOf: AudienceOf;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  /** Milliseconds of a monotonic clock. */
  readonly uptime: () => number;
};

/** The look-up and the call share a deadline of ten seconds. */
const lookUpMaxMs = 1_000;
const soonMs = 5_000;
/** The token is checked again meanwhile. */
const refusedTokenMs = 5 * 60_000;
const slackIsDown = 'slack_is_down';

export function createOutboxPosting(deps: OutboxPostingDeps): OutboxPosting {
  const { clients, workspaces, posting, audienceOf, uptime, notifyPerson, slashCommand, history } = deps;
  const breaker = createCircuitBreaker(uptime);
  const readMessages = history({ pick: readFound });
  const readRoots = history({ pick: readRoot });
  return {
    send: async (to, message, opaqueId, variant = 'whole') => {
      const startedAt = uptime();
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return workspace;
      if (uptime() - startedAt > lookUpMaxMs) return notSent('look_up_took_too_long', soonMs);
      if (breaker.waitMs() > 0) return notSent(slackIsDown, breaker.waitMs());
      const conversation = { botToken: workspace.botToken, channelId: to.channelId };
      const audience = await withDeadline(lookUpMaxMs - (uptime() - startedAt), audienceOf(conversation));
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
      const removed = await posting.remove(targetOf(to, workspace), ts);
      return removed.kind === 'done' || errorMeans(removed.error, 'message_gone');
    },
    notifyUser: notifyPerson,
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

/** @returns undefined if the answer does not come in time; it then serves the next attempt */
function withDeadline(ms: number, audience: Promise<Audience>): Promise<Audience | undefined> {
  return withTimeout(ms, audience, 'Slack did not answer in time.').catch(() => undefined);
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

export type CircuitBreaker = {
  /** @returns the milliseconds until a call may be made; 0 if it may be made now */
  readonly waitMs: () => number;
  /** Makes a call and records its outcome; an error is a failure. Call it only if `waitMs()` is 0. */
  readonly run: <Result>(call: () => Promise<Result>, isSuccess: (result: Result) => boolean) => Promise<Result>;
};

/** Each failed call may have posted a message, which the bot has to look for later. */
const failuresMax = 20;
const probeEveryMs = 10_000;

export function createCircuitBreaker(clock: Clock): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  const open = () => {
    if (failures >= failuresMax) openUntil = clock() + probeEveryMs;
  };
  return {
    waitMs: () => (failures < failuresMax ? 0 : Math.max(0, openUntil - clock())),
    run: async (call, isSuccess) => {
      // This call is the probe; the others wait for its outcome.
      open();
      let hasSucceeded = false;
      try {
        const result = await call();
        hasSucceeded = isSuccess(result);
        return result;
      } finally {
        failures = hasSucceeded ? 0 : failures + 1;
        open();
      }
    },
  };
}
