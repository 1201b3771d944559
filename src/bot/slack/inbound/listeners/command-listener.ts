/** Handles a slash command: passes its text to the dispatcher and answers in the acknowledgement or after it. */
import type { AnyMiddlewareArgs, Middleware, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { OnProgress } from '../../../commands/framework/dispatch.ts';
import type { Delivery } from '../../outbound/delivery/delivery.ts';
import { noChannelMessage, otherCommandMessage } from '../../outbound/delivery/notices.ts';
import { acknowledgementPayload, fullPayload } from '../../outbound/delivery/payload.ts';
import { newMessage } from '../../outbound/delivery/share.ts';
import type { Acknowledgements } from '../middleware/acknowledgement.ts';
import { readCommand } from '../middleware/read-payload.ts';
import type { Answering } from './answering.ts';

type CommandListenerDeps = {
  readonly answer: Answering;
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
  /** An answer that is ready by then travels in the acknowledgement. */
  readonly answerInAckWithinMs: number;
};

/**
 * An answer that is ready soon travels in the acknowledgement. That saves a request and triples the throughput
 * (docs/decisions/0006). Otherwise the bot acknowledges and answers later. An answer that the whole channel sees always
 * comes later, since nothing checks an acknowledgement for readers of another company.
 */
export function createCommandListener(deps: CommandListenerDeps): Middleware<SlackCommandMiddlewareArgs> {
  return async ({ body, ack, context }) => {
    const acknowledgement = deps.acknowledgements.open(ack, deps.answerInAckWithinMs);
    const { actor, line, responseUrl, triggerId } = readCommand(body, context.teamId);
    if (!actor) {
      await acknowledgement.ackWith(fullPayload(noChannelMessage(), { kind: 'new', visibility: 'ephemeral' }));
      return;
    }
    const to = { actor, responseUrl, botToken: context.botToken };
    const progress = deps.delivery.progress(to, 'to_be_replaced');
    const onProgress: OnProgress = (note) => {
      acknowledgement.ack();
      progress.show(note);
    };
    const request = { line, actor, isFresh: false };
    const answer = await deps.answer(request, onProgress, { botToken: context.botToken, triggerId });
    const hasNote = await progress.end();
    if (!answer || (answer.isSeen && !hasNote)) return acknowledgement.ack();
    const { visibility } = answer;
    const message = newMessage(answer);
    const mayCarry = context['acceptsAnswer'] !== false && visibility === 'ephemeral';
    const payload = mayCarry ? acknowledgementPayload(message) : undefined;
    if (payload && (await acknowledgement.ackWith(payload))) return;
    acknowledgement.ack();
    // A note for one person is never replaced by an answer for the channel.
    const kind = hasNote && visibility === 'ephemeral' ? 'replace' : 'new';
    await deps.delivery.deliver(to, message, { kind, visibility });
  };
}

/**
 * Acknowledges slash commands of other apps. Without a listener, Bolt would let them wait until Slack's three seconds
 * are over.
 */
export function createOtherCommandListener(slashCommand: string): Middleware<SlackCommandMiddlewareArgs> {
  return async ({ ack }) => {
    await ack(fullPayload(otherCommandMessage(slashCommand), { kind: 'new', visibility: 'ephemeral' }));
  };
}

type CommandMiddleware = Middleware<SlackCommandMiddlewareArgs>;

/**
 * Middleware for `app.use` rather than `app.command`: for each request Bolt walks through the chains of all its
 * listeners, which takes as long as an answer from the cache.
 */
export function onCommand(slashCommand: string, ours: CommandMiddleware, other: CommandMiddleware) {
  const middleware: Middleware<AnyMiddlewareArgs> = async (args) => {
    if (!('command' in args)) return args.next();
    await (args.command.command === slashCommand ? ours(args) : other(args));
  };
  return middleware;
}
