/** Middleware for every listener: refuses requests for other apps and for workspaces that the bot cannot serve. */
import type {
  AllMiddlewareArgs,
  AnyMiddlewareArgs,
  Middleware,
  SlackOptionsMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { modalView } from '../../../views/blocks/modal.ts';
import { messageModal } from '../../../views/notices/modal-notices.ts';
import { type Refusal, refusals } from '../../installation/workspaces.ts';
import { refusalMessage } from '../../outbound/delivery/notices.ts';
import { fullPayload } from '../../outbound/delivery/payload.ts';
import type { Respond } from '../../outbound/delivery/respond.ts';
import { noOptions } from '../listeners/options-listener.ts';
import { acknowledge } from './acknowledgement.ts';

export type RefuseRequestsDeps = {
  readonly log: Logger;
  readonly respond: Respond;
  /** Page on which people install the bot; undefined if the bot uses a fixed token. */
  readonly installUrl?: string | undefined;
};

/** Adds the workspace's token to the context for the listeners, or answers with the reason for the refusal. */
export function createRefuseRequests({ log, respond, installUrl }: RefuseRequestsDeps): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const body = readRecord(args.body);
    const refusal = isOtherApps(args.context, body) ? 'other_app' : readRefusal(args.context['refusal']);
    if (refusal === undefined) {
      const botToken = readText(args.context, 'workspaceToken');
      if (botToken !== undefined) args.context.botToken = botToken;
      return args.next();
    }
    log.warn({ teamId: args.context.teamId, refusal }, 'request refused');
    await refuse(args, refusalMessage(refusal, installUrl), readText(body, 'response_url'), respond);
  };
}

/**
 * @returns true if the request belongs to another app. A socket names its app at the start; otherwise the installation
 *   names it.
 */
function isOtherApps(context: JsonRecord, body: JsonRecord): boolean {
  const [own, meant] = [readText(context, 'appId'), readText(body, 'api_app_id')];
  return own !== undefined && meant !== undefined && own !== meant;
}

/** @param fromAuthorize as `authorize` put it into the context */
function readRefusal(fromAuthorize: unknown): Refusal | undefined {
  return refusals.find((refusal) => refusal === fromAuthorize);
}

async function refuse(
  args: AnyMiddlewareArgs & AllMiddlewareArgs,
  message: Message,
  responseUrl: string | undefined,
  respond: Respond,
): Promise<void> {
  const payload = fullPayload(message, { kind: 'new', visibility: 'ephemeral' });
  if ('command' in args) {
    await args.ack(payload);
    return;
  }
  if (isMenuQuery(args)) {
    await args.ack(noOptions);
    return;
  }
  if (isSubmission(args)) {
    await args.ack({ response_action: 'update', view: modalView(messageModal(message)) });
    return;
  }
  await acknowledge(args);
  if ('action' in args) await respond(responseUrl, payload);
}

function isMenuQuery(args: AnyMiddlewareArgs): args is SlackOptionsMiddlewareArgs<'block_suggestion'> {
  return 'options' in args && args.options.type === 'block_suggestion';
}

function isSubmission(args: AnyMiddlewareArgs): args is SlackViewMiddlewareArgs<ViewSubmitAction> {
  return 'view' in args && args.body.type === 'view_submission';
}
