/**
 * Sends to a `response_url`, which needs no token and works five times within thirty minutes. Bolt's function has no
 * time-out and accepts any address.
 */

import type { FetchFunction } from '@slack/web-api';
import { parseJson, readRecord, readText } from '../../../../shared/json.ts';
import type { Actor } from '../../../domain/person.ts';
import type { ConnectCheck } from '../web-api/connect-check.ts';
import { classifySlackError, classifyStatus, classifyThrown } from '../web-api/errors.ts';
import type { Done } from '../web-api/retry.ts';
import { readSlackAddress } from '../web-api/slack-address.ts';
import type { ResponsePayload } from './payload.ts';

/** @param to set if several people will see the message; without it, only a message for one person is sent */
export type Respond = (responseUrl: string | undefined, payload: ResponsePayload, to?: Audible) => Promise<Done>;

/** The person who acted, the channel, and the bot's token. */
type Audible = { readonly actor: Actor; readonly botToken: string | undefined };

export type RespondDeps = {
  readonly fetch: FetchFunction;
  readonly slackApiUrl: string;
  readonly callTimeoutMs: number;
  readonly connectCheck: Pick<ConnectCheck, 'audienceOfResponseUrl'>;
};

/** Slack's answers are much shorter. */
const answerUnitsMax = 2_000;

/** @returns a function that never rejects and follows no redirect */
export function createRespond({ fetch, slackApiUrl, callTimeoutMs, connectCheck }: RespondDeps): Respond {
  return async (responseUrl, payload, to) => {
    if (responseUrl === undefined) return { kind: 'permanent', error: 'no_response_url' };
    const url = readSlackAddress('response', responseUrl, slackApiUrl);
    if (!url) return { kind: 'permanent', error: 'foreign_response_url' };
    if (payload.response_type === 'in_channel') {
      const audience = to && (await connectCheck.audienceOfResponseUrl(conversationOf(to), to.actor.userId));
      if (audience !== 'own') return { kind: 'permanent', error: audience ?? 'sharing_unknown' };
    }
    try {
      const response = await fetch(url.href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
        redirect: 'manual',
        signal: AbortSignal.timeout(callTimeoutMs),
      });
      const text = (await response.text()).slice(0, answerUnitsMax);
      return readAnswer(response.status, text, Number(response.headers.get('retry-after')));
    } catch (thrown) {
      return classifyThrown(thrown);
    }
  };
}

function conversationOf({ actor, botToken }: Audible) {
  return { botToken, channelId: actor.channelId };
}

/** Slack answers `ok`, or names an error as a word or as JSON, with any status. A page of HTML is not Slack's answer. */
function readAnswer(status: number, text: string, retryAfterSeconds: number): Done {
  if (status === 429) return { kind: 'not_sent', error: 'ratelimited', retryAfterMs: retryAfterSeconds * 1000 };
  const answer = readRecord(parseJson(text));
  const word = /^[a-z_]{3,60}$/.test(text.trim()) ? text.trim() : undefined;
  const named = readText(answer, 'error') ?? word;
  if (status >= 200 && status < 300) {
    if (answer['ok'] === false) return classifySlackError(named ?? 'no_reason_given');
    if (text.trimStart().startsWith('<')) return classifySlackError(text);
    return word !== undefined && classifySlackError(word).kind === 'content'
      ? classifySlackError(word)
      : { kind: 'done' };
  }
  const failure = named === undefined ? classifyStatus(status) : classifySlackError(named);
  // An unknown word with a server error comes from a proxy between the bot and Slack.
  return status >= 500 && failure.kind === 'permanent' ? classifyStatus(status) : failure;
}
