/** What stands before every listener: one delivery is handled once, and strangers are told so. */
import type {
  AllMiddlewareArgs,
  AnyMiddlewareArgs,
  Middleware,
  SlackOptionsMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { modalView } from '../../../views/blocks/modal.ts';
import { messageModal } from '../../../views/notices/modal-notices.ts';
import type { Refusal } from '../../installation/workspaces.ts';
import { refusalMessage } from '../../outbound/delivery/notices.ts';
import { fullPayload } from '../../outbound/delivery/payload.ts';
import type { Respond } from '../../outbound/delivery/respond.ts';
import { noOptions } from '../listeners/options-listener.ts';
import { readAuthorsHome } from './authors-home.ts';
import { readDeliveryId, readHomeTeamId } from './envelope.ts';
import { type JsonRecord, readRecord, readText } from './read.ts';
import type { Claim } from './seen.ts';

export type GateDeps = {
  readonly claim: Claim;
  readonly log: Logger;
  readonly respond: Respond;
  /** Where people install the bot; undefined where its tokens are given to it. */
  readonly installUrl?: string | undefined;
};

export function createGate({ claim, log, respond, installUrl }: GateDeps): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const body = readRecord(args.body);
    const { teamId } = args.context;
    const delivery = deliveryOf(args, body);
    if (delivery !== undefined && !(await claim(String(teamId), delivery))) {
      log.info({ teamId }, 'slack delivered the same thing again');
      await acknowledge(args);
      return;
    }
    const refusal = isOtherApps(args.context, body)
      ? 'other_app'
      : refusalOf(args.context['refusal'], body, args.context);
    if (refusal === undefined) {
      const botToken = readText(args.context, 'heldToken');
      if (botToken !== undefined) args.context.botToken = botToken;
      return args.next();
    }
    log.warn({ teamId, refusal }, 'request refused');
    await refuse(args, refusalMessage(refusal, installUrl), readText(body, 'response_url'), respond);
  };
}

/**
 * Whoever repeats a signed request repeats its ids too, so its signature counts where it has none. What a menu offers may
 * be asked for twice within a second, in the same words.
 */
function deliveryOf(args: AnyMiddlewareArgs & AllMiddlewareArgs, body: JsonRecord): string | undefined {
  if ('options' in args) return undefined;
  return readDeliveryId(body) ?? readText(args.context, 'signature');
}

/** Over a socket Slack says whose it is; elsewhere it has said so when the app was installed. */
function isOtherApps(context: JsonRecord, body: JsonRecord): boolean {
  const [own, meant] = [readText(context, 'appId'), readText(body, 'api_app_id')];
  return own !== undefined && meant !== undefined && own !== meant;
}

type Here = Pick<AllMiddlewareArgs['context'], 'teamId' | 'enterpriseId'>;

function refusalOf(fromAuthorize: unknown, body: JsonRecord, here: Here): Refusal | undefined {
  if (fromAuthorize === 'not_installed' || fromAuthorize === 'unavailable' || fromAuthorize === 'unreadable') {
    return fromAuthorize;
  }
  const home = readHomeTeamId(body);
  if (home !== undefined) return home === here.teamId ? undefined : 'outsider';
  // Of an author in an enterprise Slack may say no more than that.
  const authorsHome = readAuthorsHome(body);
  return [undefined, here.teamId, here.enterpriseId].includes(authorsHome) ? undefined : 'outsider';
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

/** Bolt acknowledges events itself. */
async function acknowledge(args: AnyMiddlewareArgs): Promise<void> {
  if ('ack' in args && args.ack) await args.ack();
}
