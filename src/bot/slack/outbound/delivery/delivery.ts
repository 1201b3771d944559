/** Delivers an answer: by the response_url, in a simpler variant if Slack refuses it, otherwise by the Web API. */
import { parseJson, readRecord, readText } from '../../../../shared/json.ts';
import type { Actor } from '../../../domain/person.ts';
import type { PostResult } from '../../../outbox/message-poster.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { sharingBlockOf } from '../web-api/audience.ts';
import type { SlackClientDeps } from '../web-api/client.ts';
import type { ConnectCheck } from '../web-api/connect-check.ts';
import { classifySlackError, classifyStatus, classifyThrown } from '../web-api/errors.ts';
import { type Done, sendVariants } from '../web-api/retry.ts';
import { readSlackAddress } from '../web-api/slack-address.ts';
import { notPostedMessage, privateMessage } from './notices.ts';
import { fullPayload, type Placement, payloadsOf, type ResponsePayload } from './payload.ts';
import { arrivalOf, type Posting } from './posting.ts';
import { Progress } from './progress.ts';

export type Destination = {
  readonly actor: Actor;
  readonly responseUrl: string | undefined;
  /** Undefined if the bot is not installed; then only the response_url remains. */
  readonly botToken: string | undefined;
};

/**
 * `uncertain`: Slack may have shown it, so it was not sent again. `withheld`: not for several people to see, so only
 * one person saw it.
 */
type Outcome = 'delivered' | 'uncertain' | 'failed' | 'withheld';

type DeliveryParts = {
  readonly web: SlackClientDeps;
  readonly posting: Posting;
  readonly connectCheck: ConnectCheck;
  readonly wait: Wait | undefined;
};

/** A response_url works five times; the remaining uses are for the answer. */
const notesMax = 3;
/** Slack's answers are much shorter. */
const answerUnitsMax = 2_000;

export class Delivery {
  readonly #parts: DeliveryParts;
  readonly #stopping = new AbortController();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Never rejects; takes about a minute at most.
   * @param hasIt true if the person has the message already; if it may not be posted, they then read only the reason
   */
  async deliver(to: Destination, message: Message, placement: Placement, hasIt = false): Promise<Outcome> {
    const { log } = this.#parts.web;
    const { teamId } = to.actor;
    for (const [route, send] of this.#routesOf(to, message, placement)) {
      const sent = await send();
      const arrival = arrivalOf(sent);
      if (arrival === 'arrived') return 'delivered';
      const error = 'error' in sent ? sent.error : sent.kind;
      const why = sharingBlockOf({ kind: sent.kind, error });
      if (why !== undefined) {
        log.info({ teamId, why }, 'answer is private because another company may read the channel');
        await this.deliver(to, hasIt ? notPostedMessage(why) : privateMessage(message, why), {
          kind: 'new',
          visibility: 'ephemeral',
          threadTs: threadOf(placement),
        });
        return 'withheld';
      }
      const fields = { route, error, class: sent.kind, teamId };
      if (arrival === 'unconfirmed') {
        log.warn(fields, 'slack did not confirm the answer');
        return 'uncertain';
      }
      log.warn(fields, 'answer could not be delivered this way');
    }
    log.error({ teamId }, 'answer could not be delivered');
    return 'failed';
  }

  /**
   * @param where `to_be_replaced`: the answer replaces the notes. `in_place`: notes replace the pressed message.
   *   `below`: a note stays below it
   */
  progress(to: Destination, where: 'to_be_replaced' | 'in_place' | 'below'): Progress {
    return new Progress({
      // Nothing can replace a note here, so one is enough.
      notesMax: where === 'below' ? 1 : notesMax,
      wait: this.#parts.wait,
      show: async (message, isShown) => {
        const isReplacing = where === 'in_place' || (where === 'to_be_replaced' && isShown);
        const placement = { kind: isReplacing ? 'replace' : 'new', visibility: 'ephemeral' } as const;
        return (await this.respond(to.responseUrl, fullPayload(message, placement))).kind === 'done';
      },
    });
  }

  /**
   * Sends to a `response_url`, which needs no token and works five times within thirty minutes. Bolt's function has no
   * time-out and accepts any address. Never rejects, and follows no redirect.
   * @param to set if several people will see the message; without it, only a message for one person is sent
   */
  async respond(responseUrl: string | undefined, payload: ResponsePayload, to?: Destination): Promise<Done> {
    const { web, connectCheck } = this.#parts;
    if (responseUrl === undefined) return { kind: 'permanent', error: 'no_response_url' };
    const url = readSlackAddress('response', responseUrl, web.slackApiUrl);
    if (!url) return { kind: 'permanent', error: 'foreign_response_url' };
    if (payload.response_type === 'in_channel') {
      const conversation = to && { botToken: to.botToken, channelId: to.actor.channelId };
      const audience = conversation && (await connectCheck.audienceOfResponseUrl(conversation, to.actor.userId));
      if (audience !== 'own') return { kind: 'permanent', error: audience ?? 'sharing_unknown' };
    }
    try {
      const response = await web.fetch(url.href, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(payload),
        redirect: 'manual',
        signal: AbortSignal.timeout(web.callTimeoutMs),
      });
      const text = (await response.text()).slice(0, answerUnitsMax);
      return readAnswer(response.status, text, Number(response.headers.get('retry-after')));
    } catch (thrown) {
      return classifyThrown(thrown);
    }
  }

  /** Ends every wait before a retry. */
  stop(): void {
    this.#stopping.abort();
  }

  /** @returns the routes in the order in which they are tried */
  #routesOf(to: Destination, message: Message, placement: Placement): readonly Route[] {
    const { posting } = this.#parts;
    const { actor, botToken } = to;
    const viaResponseUrl = ['response_url', () => this.#sendToResponseUrl(to, message, placement)] as const;
    if (botToken === undefined) return [viaResponseUrl];
    const threadTs = threadOf(placement);
    const channel = { teamId: actor.teamId, botToken, channelId: actor.channelId };
    const at = { ...channel, ...(threadTs !== undefined && { threadTs }) };
    if (placement.kind === 'new' && placement.visibility === 'channel')
      return [viaResponseUrl, ['web_api', () => posting.post(at, message)]];
    const inChannel = ['web_api', () => posting.postPrivately(channel, actor.userId, message)] as const;
    if (threadTs === undefined) return [viaResponseUrl, inChannel];
    // A response_url shows private messages in the channel, behind the thread that the person reads.
    return [['thread', () => posting.postPrivately(at, actor.userId, message)], viaResponseUrl, inChannel];
  }

  #sendToResponseUrl(to: Destination, message: Message, placement: Placement): Promise<Done> {
    const { web, wait = defaultWait } = this.#parts;
    return sendVariants(payloadsOf(message, placement), (variant) => this.respond(to.responseUrl, variant, to), {
      // A duplicate does no harm if only one person sees it or if it replaces the first; in a channel it does.
      isRepeatable: placement.kind === 'replace' || placement.visibility === 'ephemeral',
      wait: (ms) => wait(ms, this.#stopping.signal),
      log: web.log,
    });
  }
}

type Route = readonly ['thread' | 'response_url' | 'web_api', () => Promise<Done | PostResult>];

function threadOf(placement: Placement): string | undefined {
  return placement.kind === 'new' ? placement.threadTs : undefined;
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
