/** response_url: issued with each invocation, valid for five replies within thirty minutes. */
import { randomBytes } from 'node:crypto';
import { isRecord, type JsonRecord, parseJson, readText } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Content, isEmpty, Refused, readContent } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { findChannel, type Workspace } from '../state/workspace.ts';
import { threadRoot } from '../web-api/chat.ts';
import { flagField, type HttpAnswer, textAnswer } from './http.ts';

/** The person, the conversation, and the message that `replace_original` refers to. */
type Invocation = {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly channelId: string;
  readonly kind: 'commands' | 'actions' | 'app';
  readonly originalTs: string | null;
};

export type ResponseUrls = {
  /** @returns the path of a new address */
  readonly issue: (invocation: Invocation) => string;
  /** Makes `message` the target of `replace_original`. */
  readonly adopt: (path: string, message: SlackMessage) => void;
  readonly answer: (path: string, body: Buffer) => HttpAnswer;
};

type Issued = Invocation & { readonly until: number; usesLeft: number; originalTs: string | null };

const usesMax = 5;
const lifeMs = 30 * 60_000;
/** Limits memory under load. */
const issuedMax = 20_000;

export function createResponseUrls(clock: Clock): ResponseUrls {
  const issued = new Map<string, Issued>();
  return {
    issue: (invocation) => {
      evictExpired(issued, clock());
      const path = `/${invocation.kind}/${invocation.workspace.teamId}/${randomBytes(18).toString('base64url')}`;
      issued.set(path, { ...invocation, until: clock() + lifeMs, usesLeft: usesMax });
      return path;
    },
    adopt: (path, message) => {
      const found = issued.get(path);
      if (found) found.originalTs = message.ts;
    },
    answer: (path, body) => {
      const found = issued.get(path);
      if (!found) return textAnswer(404, 'invalid_url');
      if (found.until <= clock()) return textAnswer(404, 'expired_url');
      if (found.usesLeft === 0) return textAnswer(404, 'used_url');
      const fields = parseJson(body.toString('utf8'));
      if (!isRecord(fields)) return textAnswer(400, 'invalid_payload');
      try {
        carryOut(found, fields);
      } catch (error) {
        if (error instanceof Refused) return textAnswer(400, error.message);
        throw error;
      }
      found.usesLeft -= 1;
      return textAnswer(200, 'ok');
    },
  };
}

/**
 * Evicts addresses some time after they expired, so that a late caller still gets `expired_url`. Above a limit it
 * evicts the oldest.
 */
function evictExpired(issued: Map<string, Issued>, now: number): void {
  for (const [path, { until }] of issued) {
    if (issued.size < issuedMax && until + lifeMs >= now) return;
    issued.delete(path);
  }
}

function carryOut(issued: Issued, fields: JsonRecord): void {
  const { workspace, channelId } = issued;
  const original = issued.originalTs === null ? undefined : workspace.history.find(channelId, issued.originalTs);
  if (flagField(fields, 'delete_original')) {
    if (original) workspace.history.remove(original);
    return;
  }
  const content = readContent(fields);
  if (isEmpty(content)) throw new Refused('no_text');
  if (flagField(fields, 'replace_original') && original) {
    // An ephemeral message stays ephemeral.
    workspace.history.change(original, { text: content.text ?? '', blocks: content.blocks ?? [] });
    return;
  }
  const message = postResponse(issued, fields, content);
  if (issued.kind === 'commands') issued.originalTs = message.ts;
}

/**
 * Posts an app's reply to a person, from an acknowledgement or a response_url. It is ephemeral unless it has
 * `in_channel`; only then may it be in a thread.
 */
export function postResponse(
  { workspace, channelId, userId }: Pick<Invocation, 'workspace' | 'channelId' | 'userId'>,
  fields: JsonRecord,
  content: Content,
): SlackMessage {
  const isPublic = fields['response_type'] === 'in_channel';
  const threadTs = isPublic ? readText(fields, 'thread_ts') : undefined;
  const root = threadTs === undefined ? undefined : threadRoot(workspace, channelId, threadTs);
  return workspace.history.post({
    channel: findChannel(workspace, channelId)?.id ?? channelId,
    threadTs: root ?? null,
    user: workspace.botUserId,
    text: content.text ?? '',
    blocks: content.blocks ?? [],
    viewer: isPublic ? null : userId,
  });
}
