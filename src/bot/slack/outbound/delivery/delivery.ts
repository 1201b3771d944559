/** Delivers an answer: by the response_url, in a simpler form if Slack refuses it, otherwise by the Web API. */
import type { Logger } from '../../../../shared/log/logger.ts';
import { backoffMs, retry } from '../../../../shared/retry.ts';
import type { Actor } from '../../../domain/person.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import { fitMessage } from '../../../views/blocks/fit.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { sharingBlockOf } from '../web-api/audience.ts';
import type { SlackClients } from '../web-api/client.ts';
import { classifyThrown } from '../web-api/errors.ts';
import { notPostedMessage, privateMessage } from './notices.ts';
import { fullPayload, type Placement, payloadsOf, type ResponsePayload } from './payload.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Respond, Sent } from './respond.ts';
import { sendForms } from './simpler-forms.ts';

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

export type Delivery = {
  /**
   * Never rejects; takes about a minute at most.
   * @param hasIt true if the person has the message already; if it may not be posted, they then read only the reason
   */
  readonly deliver: (to: Destination, message: Message, placement: Placement, hasIt?: boolean) => Promise<Outcome>;
  /**
   * @param where `to_be_replaced`: the answer replaces the notes. `in_place`: notes replace the pressed message.
   *   `below`: a note stays below it
   */
  readonly progress: (to: Destination, where: 'to_be_replaced' | 'in_place' | 'below') => Progress;
  /** Ends every wait before a retry. */
  readonly stop: () => void;
};

export type DeliveryDeps = {
  readonly respond: Respond;
  readonly clients: SlackClients;
  readonly log: Logger;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly wait?: Wait | undefined;
};

const attemptsMax = 4;
/** Limit for all waits of one answer; a person who waits longer has asked again. */
const waitTotalMaxMs = 30_000;
const backoff = { firstMs: 500, maxMs: waitTotalMaxMs };
/** A response_url works five times; the remaining uses are for the answer. */
const notesMax = 3;

type Send = (payload: ResponsePayload) => Promise<Sent>;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const stopping = new AbortController();
  const { wait = defaultWait } = deps;
  const deliver: Delivery['deliver'] = async (to, message, placement, hasIt = false) => {
    // A duplicate does no harm if only one person sees it or if it replaces the first; in a channel it does.
    const isRepeatable = placement.kind === 'replace' || placement.visibility === 'ephemeral';
    for (const [route, send] of routesOf(deps, to, placement)) {
      const sendOnce: Send = (payload) =>
        repeat(
          () => send(payload),
          isRepeatable,
          (ms) => wait(ms, stopping.signal),
        );
      const fit = route === 'response_url' ? undefined : (one: Message) => fitMessage(one, deps.slashCommand);
      const forms = payloadsOf(message, placement, fit);
      const sent = await sendForms(forms, sendOnce, { isRepeatable, log: deps.log });
      if (sent.kind === 'sent') return 'delivered';
      const word = sharingBlockOf(sent);
      if (word !== undefined) {
        deps.log.info(
          { teamId: to.actor.teamId, why: word },
          'answer is private because another company may read the channel',
        );
        await deliver(to, hasIt ? notPostedMessage(word) : privateMessage(message, word), privately(placement));
        return 'withheld';
      }
      const fields = { route, error: sent.error, class: sent.kind, teamId: to.actor.teamId };
      if (sent.kind === 'unknown') {
        deps.log.warn(fields, 'slack did not confirm the answer');
        return 'uncertain';
      }
      deps.log.warn(fields, 'answer could not be delivered this way');
    }
    deps.log.error({ teamId: to.actor.teamId }, 'answer could not be delivered');
    return 'failed';
  };
  const progress: Delivery['progress'] = (to, where) =>
    createProgress({
      // Nothing can replace a note here, so one is enough.
      notesMax: where === 'below' ? 1 : notesMax,
      wait: deps.wait,
      carry: async (message, isShown) => {
        const isReplacing = where === 'in_place' || (where === 'to_be_replaced' && isShown);
        const placement = { kind: isReplacing ? 'replace' : 'new', visibility: 'ephemeral' } as const;
        return (await deps.respond(to.responseUrl, fullPayload(message, placement))).kind === 'sent';
      },
    });
  return { deliver, progress, stop: () => stopping.abort() };
}

type Route = 'thread' | 'response_url' | 'web_api';

/** @returns the routes in the order in which they are tried */
function routesOf(deps: DeliveryDeps, to: Destination, placement: Placement): readonly (readonly [Route, Send])[] {
  const threadTs = placement.kind === 'new' && placement.visibility === 'ephemeral' ? placement.threadTs : undefined;
  const inThread: Send = (payload) => postDirectly(deps.clients, to, payload, threadTs);
  return [
    // A response_url shows private messages in the channel, behind the thread that the person reads.
    ...(threadTs === undefined ? [] : [['thread', inThread] as const]),
    ['response_url', (payload) => deps.respond(to.responseUrl, payload, to)],
    ['web_api', (payload) => postDirectly(deps.clients, to, payload)],
  ];
}

function privately(placement: Placement): Placement {
  const threadTs = placement.kind === 'new' ? placement.threadTs : undefined;
  return { kind: 'new', visibility: 'ephemeral', threadTs };
}

/** Retries what was certainly not sent, and once what may have been sent if a duplicate does no harm. */
async function repeat(
  send: () => Promise<Sent>,
  isRepeatable: boolean,
  wait: (ms: number) => Promise<void>,
): Promise<Sent> {
  let waitedMs = 0;
  let repeatsOfUnknown = isRepeatable ? 1 : 0;
  return retry(send, {
    attemptsMax,
    delayMs: (sent, attempt) => {
      if (sent.kind === 'unknown' && repeatsOfUnknown > 0) repeatsOfUnknown -= 1;
      else if (sent.kind !== 'not_sent') return undefined;
      return (sent.kind === 'not_sent' ? sent.retryAfterMs : undefined) ?? backoffMs(backoff, attempt);
    },
    pause: async (delayMs) => {
      waitedMs += delayMs;
      if (waitedMs > waitTotalMaxMs) return false;
      return wait(delayMs).then(
        () => true,
        () => false,
      );
    },
  });
}

/** Posts into a thread, or if the response_url is missing, used up or expired. The bot must be in the channel. */
async function postDirectly(
  clients: SlackClients,
  { actor, botToken }: Destination,
  payload: ResponsePayload,
  threadTs?: string,
): Promise<Sent> {
  if (botToken === undefined) return { kind: 'permanent', error: 'no_token' };
  const client = clients.of(botToken);
  const { response_type, replace_original, unfurl_links, unfurl_media, ...content } = payload;
  const message = { ...content, channel: actor.channelId, ...(threadTs !== undefined && { thread_ts: threadTs }) };
  try {
    if (response_type === 'in_channel' && !replace_original) {
      await client.chat.postMessage({ ...message, unfurl_links, unfurl_media });
    } else {
      // https://docs.slack.dev/reference/methods/chat.postEphemeral: it has no arguments about link previews.
      await client.chat.postEphemeral({ ...message, user: actor.userId });
    }
    return { kind: 'sent' };
  } catch (thrown) {
    return classifyThrown(thrown);
  }
}
