/** Delivers an answer: by the response_url, in a simpler form if Slack refuses it, otherwise by the Web API. */
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Actor } from '../../../domain/person.ts';
import type { PostResult } from '../../../outbox/message-poster.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { sharingBlockOf } from '../web-api/audience.ts';
import type { Done } from '../web-api/retry.ts';
import { notPostedMessage, privateMessage } from './notices.ts';
import { fullPayload, type Placement, payloadsOf } from './payload.ts';
import type { Posting } from './posting.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Respond } from './respond.ts';
import { sendVariants } from './send-variants.ts';

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
  readonly posting: Posting;
  readonly log: Logger;
  readonly wait?: Wait | undefined;
};

/** A response_url works five times; the remaining uses are for the answer. */
const notesMax = 3;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const stopping = new AbortController();
  const { wait = defaultWait } = deps;
  const pause: Pause = (ms) => wait(ms, stopping.signal);
  const deliver: Delivery['deliver'] = async (to, message, placement, hasIt = false) => {
    for (const [route, send] of routesOf(deps, pause, { to, message, placement })) {
      const sent = await send();
      if (sent.kind === 'sent' || sent.kind === 'done') return 'delivered';
      const error = 'error' in sent ? sent.error : sent.kind;
      const word = sharingBlockOf({ kind: sent.kind, error });
      if (word !== undefined) {
        deps.log.info(
          { teamId: to.actor.teamId, why: word },
          'answer is private because another company may read the channel',
        );
        await deliver(to, hasIt ? notPostedMessage(word) : privateMessage(message, word), privately(placement));
        return 'withheld';
      }
      const fields = { route, error, class: sent.kind, teamId: to.actor.teamId };
      if (uncertainKinds.has(sent.kind)) {
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
        return (await deps.respond(to.responseUrl, fullPayload(message, placement))).kind === 'done';
      },
    });
  return { deliver, progress, stop: () => stopping.abort() };
}

const uncertainKinds: ReadonlySet<string> = new Set(['unknown', 'unchecked', 'uncertain']);

type Answer = { readonly to: Destination; readonly message: Message; readonly placement: Placement };
type Route = readonly ['thread' | 'response_url' | 'web_api', () => Promise<Done | PostResult>];
type Pause = (ms: number) => Promise<void>;

/** @returns the routes in the order in which they are tried */
function routesOf(deps: DeliveryDeps, pause: Pause, answer: Answer): readonly Route[] {
  const { to, message, placement } = answer;
  const { actor, botToken } = to;
  const viaResponseUrl = ['response_url', () => sendToResponseUrl(deps, pause, answer)] as const;
  if (botToken === undefined) return [viaResponseUrl];
  const threadTs = placement.kind === 'new' ? placement.threadTs : undefined;
  const channel = { teamId: actor.teamId, botToken, channelId: actor.channelId };
  const at = { ...channel, ...(threadTs !== undefined && { threadTs }) };
  if (placement.kind === 'new' && placement.visibility === 'channel')
    return [viaResponseUrl, ['web_api', () => deps.posting.post(at, message)]];
  const inChannel = ['web_api', () => deps.posting.postPrivately(channel, actor.userId, message)] as const;
  if (threadTs === undefined) return [viaResponseUrl, inChannel];
  // A response_url shows private messages in the channel, behind the thread that the person reads.
  return [['thread', () => deps.posting.postPrivately(at, actor.userId, message)], viaResponseUrl, inChannel];
}

function sendToResponseUrl({ respond, log }: DeliveryDeps, wait: Pause, { to, message, placement }: Answer) {
  // A duplicate does no harm if only one person sees it or if it replaces the first; in a channel it does.
  const isRepeatable = placement.kind === 'replace' || placement.visibility === 'ephemeral';
  return sendVariants(payloadsOf(message, placement), (form) => respond(to.responseUrl, form, to), {
    isRepeatable,
    wait,
    log,
  });
}

function privately(placement: Placement): Placement {
  const threadTs = placement.kind === 'new' ? placement.threadTs : undefined;
  return { kind: 'new', visibility: 'ephemeral', threadTs };
}
