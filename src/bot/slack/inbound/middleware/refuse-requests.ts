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
import type { Message } from '../../../views/blocks/message.ts';
import { modalView } from '../../../views/blocks/modal.ts';
import { messageModal } from '../../../views/notices/modal-notices.ts';
import { refusals } from '../../installation/workspaces.ts';
import type { Delivery } from '../../outbound/delivery/delivery.ts';
import { refusalMessage } from '../../outbound/delivery/notices.ts';
import { fullPayload } from '../../outbound/delivery/payload.ts';
import type { OutboundSlack } from '../../outbound/outbound-slack.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { noOptions } from '../listeners/options-listener.ts';
import type { InboundServices } from '../services.ts';
import { acknowledge } from './acknowledgement.ts';
import { readAddressed } from './read-payload.ts';

/** Adds the workspace's token to the context for the listeners, or answers with the reason for the refusal. */
export function createRefuseRequests({ runtime, slack }: InboundServices): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const body = readRecord(args.body);
    if (installationEvents.has(readRecord(body['event'])['type'])) return args.next();
    const refusal = isOtherApps(args.context, body)
      ? 'other_app'
      : refusals.find((each) => each === args.context['refusal']);
    const botToken = readText(args.context, 'workspaceToken');
    if (refusal === undefined) {
      if (botToken !== undefined) args.context.botToken = botToken;
      return args.next();
    }
    runtime.log.warn({ teamId: args.context.teamId, refusal }, 'request refused');
    const message = refusalMessage(refusal, slack.access.installUrl);
    await refuse(args, message, readText(body, 'response_url'), slack.delivery);
    if (refusal === 'workspace_unknown' && botToken !== undefined)
      await reply(slack, botToken, readRecord(body['event']), message);
  };
}

/** Events about an organization's installation belong to no workspace. */
const installationEvents: ReadonlySet<unknown> = new Set([
  'app_uninstalled',
  'tokens_revoked',
  'team_access_granted',
  'team_access_revoked',
]);

/** Answers a typed message or an opened Home with the token of the organization. Never rejects. */
async function reply(
  { posting, clients, web }: OutboundSlack,
  botToken: string,
  event: JsonRecord,
  message: Message,
): Promise<void> {
  const { type, tab, user } = event;
  if (type === 'app_home_opened' && tab === 'home' && typeof user === 'string') {
    const view = { type: 'home' as const, blocks: [...message.blocks] };
    const publishing = clients.of(botToken).views.publish({ user_id: user, view });
    await publishing.catch((error: unknown) =>
      web.log.warn({ error: describe(error) }, 'slack did not show a home tab'),
    );
  }
  const typed = readAddressed(event);
  if (!typed) return;
  const { channelId, userId, threadTs } = typed;
  const target = { botToken, channelId, ...(threadTs !== undefined && { threadTs }) };
  if (channelId.startsWith('D')) await posting.notify(target, message);
  else await posting.postPrivately(target, userId, message);
}

/**
 * @returns true if the request belongs to another app. A socket names its app at the start; otherwise the installation
 *   names it.
 */
function isOtherApps(context: JsonRecord, body: JsonRecord): boolean {
  const [own, meant] = [readText(context, 'appId'), readText(body, 'api_app_id')];
  return own !== undefined && meant !== undefined && own !== meant;
}

async function refuse(
  args: AnyMiddlewareArgs & AllMiddlewareArgs,
  message: Message,
  responseUrl: string | undefined,
  delivery: Delivery,
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
  if ('action' in args) await delivery.respond(responseUrl, payload);
}

function isMenuQuery(args: AnyMiddlewareArgs): args is SlackOptionsMiddlewareArgs<'block_suggestion'> {
  return 'options' in args && args.options.type === 'block_suggestion';
}

function isSubmission(args: AnyMiddlewareArgs): args is SlackViewMiddlewareArgs<ViewSubmitAction> {
  return 'view' in args && args.body.type === 'view_submission';
}
