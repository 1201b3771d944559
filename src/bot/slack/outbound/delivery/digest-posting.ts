/** Posts digests with one call for each message, reports only certain outcomes, and finds digests that were posted. */
import { type JsonRecord, readText } from '../../../../shared/json.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { DigestPosting, PostTarget, SendForm } from '../../../outbox/ports.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { Workspace, Workspaces } from '../../installation/workspaces.ts';
import { type Audience, type AudienceOf, WithheldError, type WithheldWord } from '../web-api/audience.ts';
import { createCircuitBreaker } from '../web-api/circuit-breaker.ts';
import type { MessageTarget, SlackClients } from '../web-api/client.ts';
import { classifyThrown, type Failure, isOutage, isTokenRefusal } from '../web-api/errors.ts';
import { markOf } from '../web-api/history.ts';
import type { HistoryReader } from '../web-api/history-reader.ts';
import { type Content, contentsOf } from './payload.ts';
import type { Posted, Posting } from './posting.ts';
import { listed } from './simpler-forms.ts';

export type DigestPostingDeps = {
  readonly clients: SlackClients;
  readonly history: HistoryReader;
  readonly notifyPerson: DigestPosting['notifyUser'];
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
/** The caller's lease ends after half a minute. */
const historyWaitMsMax = 15_000;
const slackIsDown = 'slack_is_down';
const digestEvent = 'workflow_bot_digest';

export function createDigestPosting(deps: DigestPostingDeps): DigestPosting {
  const { clients, workspaces, posting, audienceOf, uptime, notifyPerson, slashCommand, history } = deps;
  const breaker = createCircuitBreaker(uptime);
  const readDigests = history({ pick: readDigest, waitMsMax: historyWaitMsMax });
  return {
    send: async (to, message, opaqueId, form = 'whole') => {
      const startedAt = uptime();
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return workspace;
      if (uptime() - startedAt > lookUpMaxMs) return notSent('look_up_took_too_long', soonMs);
      if (breaker.waitMs() > 0) return notSent(slackIsDown, breaker.waitMs());
      const conversation = { botToken: workspace.botToken, channelId: to.channelId };
      const audience = await within(lookUpMaxMs - (uptime() - startedAt), audienceOf(conversation));
      if (audience === undefined) return notSent('look_up_took_too_long', soonMs);
      if (audience !== 'own') return withheldFailure(audience);
      const call = {
        ...callOf(targetOf(to, workspace), opaqueId, form),
        ...contentOf(message, form, slashCommand),
      };
      if (breaker.waitMs() > 0) return notSent(slackIsDown, breaker.waitMs());
      return breaker.run(
        () => clients.of(workspace.botToken).chat.postMessage(call).then(postedOf, failureOf),
        (result) => result.kind === 'posted' || !isOutage(result),
      );
    },
    find: async (to, range) => {
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return { ...workspace, kind: workspace.kind === 'permanent' ? 'unreadable' : 'later' };
      const found = await readDigests({ target: targetOf(to, workspace), span: range });
      if ('kind' in found) return isTokenRefusal(found.error) ? { ...found, kind: 'later' } : found;
      return found.filter((digest) => isOurs(digest, workspace));
    },
    remove: async (to, ts) => {
      const workspace = await workspaceOf(workspaces, to.teamId);
      if ('error' in workspace) return false;
      const removed = await posting.remove(targetOf(to, workspace), ts);
      return removed.kind === 'done' || removed.error === 'message_not_found';
    },
    notifyUser: notifyPerson,
  };
}

type PostedDigest = {
  readonly ts: string;
  readonly opaqueId: string;
  readonly userId: unknown;
  readonly botId: unknown;
};

function readDigest(message: JsonRecord): readonly PostedDigest[] {
  const [ts, opaqueId] = [readText(message, 'ts'), readText(markOf(message, digestEvent), 'id')];
  if (ts === undefined || opaqueId === undefined) return [];
  return [{ ts, opaqueId, userId: message['user'], botId: message['bot_id'] }];
}

/** Checks the author, since another app can add the same metadata. */
function isOurs({ userId, botId }: PostedDigest, workspace: Workspace): boolean {
  return userId === workspace.botUserId || (workspace.botId !== undefined && botId === workspace.botId);
}

function notSent(error: string, retryAfterMs: number): Failure {
  return { kind: 'not_sent', error, retryAfterMs };
}

/** If the audience is unknown, the digest waits; a channel that the bot cannot see gets no digest. */
function withheldFailure(word: WithheldWord): Failure {
  switch (word) {
    case 'sharing_needs_scopes':
    case 'sharing_unknown':
      return { kind: 'not_sent', error: word };
    case 'sharing_needs_membership':
      return { kind: 'permanent', error: 'channel_not_found' };
    case 'channel_is_shared':
      return { kind: 'permanent', error: word };
  }
}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof WithheldError) return withheldFailure(thrown.word);
  const failure = classifyThrown(thrown);
  return isTokenRefusal(failure.error) ? notSent(failure.error, refusedTokenMs) : failure;
}

/** @returns undefined if the answer does not come in time; it then serves the next attempt */
function within(ms: number, audience: Promise<Audience>): Promise<Audience | undefined> {
  return withTimeout(ms, audience, 'Slack did not answer in time.').catch(() => undefined);
}

async function workspaceOf(workspaces: Workspaces, teamId: string): Promise<Workspace | Failure> {
  try {
    const workspace = await workspaces.find(teamId);
    if (workspace?.isRefused) return notSent('invalid_auth', refusedTokenMs);
    return workspace ?? { kind: 'permanent', error: 'not_installed' };
  } catch {
    return notSent('workspace_not_at_hand', soonMs);
  }
}

function targetOf({ channelId, threadTs }: PostTarget, { botToken }: Workspace): MessageTarget {
  return { botToken, channelId, ...(threadTs !== undefined && { threadTs }) };
}

function callOf({ channelId, threadTs }: MessageTarget, opaqueId: string, form: SendForm) {
  return {
    ...{ channel: channelId, unfurl_links: false, unfurl_media: false },
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(form !== 'unmarked' && { metadata: { event_type: digestEvent, event_payload: { id: opaqueId } } }),
  };
}

function contentOf(message: Message, form: SendForm, slashCommand: string): Content {
  const forms = contentsOf(message, (one) => fitMessage(one, slashCommand));
  switch (form) {
    case 'words':
      return forms.at(-1) ?? forms[0];
    case 'lists':
    case 'unmarked':
      return listed(forms) ?? forms[0];
    case 'whole':
      return forms[0];
  }
}

function postedOf({ ts }: { readonly ts?: string | undefined }): Posted {
  return ts ? { kind: 'posted', ts } : { kind: 'unknown', error: 'no_ts' };
}

/** Formats a hash of the text as a UUID, version 8 (https://www.rfc-editor.org/rfc/rfc9562#section-5.8). */
