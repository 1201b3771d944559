/** Handles a slash command: passes its text to the dispatcher and answers in the acknowledgement or after it. */
import type { AnyMiddlewareArgs, Middleware, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { Message } from '../../../views/blocks/message.ts';
import { noChannelMessage, otherCommandMessage } from '../../outbound/delivery/notices.ts';
import { acknowledgementPayload, fullPayload } from '../../outbound/delivery/payload.ts';
import { newMessage } from '../../outbound/delivery/share.ts';
import { readCommand } from '../middleware/read-payload.ts';
import type { Inbound } from './inbound.ts';

/**
 * Middleware for `app.use` rather than `app.command`: for each request Bolt walks through the chains of all its
 * listeners, which takes as long as an answer from the cache.
 */
export function onCommand(inbound: Inbound): Middleware<AnyMiddlewareArgs> {
  const { slashCommand } = inbound.services;
  return async (args) => {
    if (!('command' in args)) return args.next();
    if (args.command.command === slashCommand) return answerCommand(inbound, args);
    // Without a listener, Bolt would let the commands of other apps wait until Slack's three seconds are over.
    await args.ack(fullPayload(otherCommandMessage(slashCommand), { kind: 'new', visibility: 'ephemeral' }));
  };
}

/**
 * An answer that is ready soon travels in the acknowledgement. That saves a request and triples the throughput
 * (docs/decisions/0006). Otherwise the bot acknowledges and answers later. An answer that the whole channel sees always
 * comes later, since nothing checks an acknowledgement for readers of another company.
 */
async function answerCommand(
  { services, acknowledgements, answering }: Inbound,
  { body, ack, context }: Pick<Parameters<Middleware<SlackCommandMiddlewareArgs>>[0], 'body' | 'ack' | 'context'>,
): Promise<void> {
  const { delivery } = services.slack;
  const acknowledgement = acknowledgements.open(ack, services.waitingTimes.answerInAckWithinMs);
  const { actor, line, responseUrl, triggerId } = readCommand(body, context.teamId);
  if (!actor) {
    await acknowledgement.ackWith(fullPayload(noChannelMessage, { kind: 'new', visibility: 'ephemeral' }));
    return;
  }
  const { botToken } = context;
  const to = { actor, responseUrl, botToken };
  const notes = delivery.progress(to, 'to_be_replaced');
  const progress = {
    show: (note: Message) => {
      acknowledgement.ack();
      notes.show(note);
    },
    end: () => notes.end(),
  };
  const answer = await answering.answer({ line, actor, isFresh: false }, progress, { botToken, triggerId });
  if (!answer || (answer.isSeen && !answer.hasNote)) return acknowledgement.ack();
  const { visibility, hasNote } = answer;
  const message = newMessage(answer);
  const mayCarry = context['acceptsAnswer'] !== false && visibility === 'ephemeral';
  const payload = mayCarry ? acknowledgementPayload(message) : undefined;
  if (payload && (await acknowledgement.ackWith(payload))) return;
  acknowledgement.ack();
  // A note for one person is never replaced by an answer for the channel.
  const kind = hasNote && visibility === 'ephemeral' ? 'replace' : 'new';
  await delivery.deliver(to, message, { kind, visibility });
}
