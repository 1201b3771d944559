/** response_url: issued with each invocation, valid for five replies within thirty minutes. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import { isRecord, type JsonRecord, parseJson, readText } from '../../shared/json.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { type Content, isEmpty, Refused, readContent } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { findChannel, type Workspace } from '../state/workspace.ts';
import { flagField, type HttpAnswer, textAnswer } from './http.ts';

/** The person, the conversation, and the message that `replace_original` refers to. */
type Invocation = {
  readonly workspace: Workspace;
  readonly userId: string;
  readonly channelId: string;
  readonly kind: 'commands' | 'actions' | 'app';
  readonly originalTs: string | null;
};

type Issued = Invocation & { readonly until: number; usesLeft: number; originalTs: string | null };

const usesMax = 5;
const lifeMs = 30 * 60_000;
/** Limits memory under load. */
const issuedMax = 20_000;

export class ResponseUrls {
  readonly #clock: Clock;
  readonly #baseUrl: string;
  /** An expired address stays for a while, so that a late caller gets `expired_url`. */
  readonly #issued = createLruCache<Issued>({ entriesMax: issuedMax });

  /** @param baseUrl begins each address, without a slash at the end */
  constructor(clock: Clock, baseUrl: string) {
    this.#clock = clock;
    this.#baseUrl = baseUrl;
  }

  /** @returns a new address */
  issue(invocation: Invocation): string {
    const { kind, workspace } = invocation;
    const url = `${this.#baseUrl}/${kind}/${workspace.teamId}/${randomBytes(18).toString('base64url')}`;
    this.#issued.set(url, { ...invocation, until: this.#clock() + lifeMs, usesLeft: usesMax });
    return url;
  }

  /** Makes `message` the target of `replace_original`. */
  adopt(url: string, message: SlackMessage): void {
    const found = this.#issued.get(url);
    if (found) found.originalTs = message.ts;
  }

  answer(path: string, body: Buffer): HttpAnswer {
    const found = this.#issued.get(this.#baseUrl + path);
    if (!found) return textAnswer(404, 'invalid_url');
    if (found.until <= this.#clock()) return textAnswer(404, 'expired_url');
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
  const root = threadTs === undefined ? undefined : workspace.history.threadRoot(channelId, threadTs);
  return workspace.history.post({
    channel: findChannel(workspace, channelId)?.id ?? channelId,
    threadTs: root ?? null,
    user: workspace.botUserId,
    text: content.text ?? '',
    blocks: content.blocks ?? [],
    viewer: isPublic ? null : userId,
  });
}
