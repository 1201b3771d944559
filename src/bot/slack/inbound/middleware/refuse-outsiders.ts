/** Middleware for every listener: refuses people from other workspaces, other apps and workspaces without the bot. */
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
import type { Refusal } from '../../installation/workspaces.ts';
import { refusalMessage } from '../../outbound/delivery/notices.ts';
import { fullPayload } from '../../outbound/delivery/payload.ts';
import type { Respond } from '../../outbound/delivery/respond.ts';
import { noOptions } from '../listeners/options-listener.ts';
import { acknowledge } from './acknowledgement.ts';
import { readHomeTeamId } from './read-payload.ts';

export type RefuseOutsidersDeps = {
  readonly log: Logger;
  readonly respond: Respond;
  /** Page on which people install the bot; undefined if the bot uses a fixed token. */
  readonly installUrl?: string | undefined;
};

/** Adds the workspace's token to the context for the listeners, or answers with the reason for the refusal. */
export function createRefuseOutsiders({
  log,
  respond,
  installUrl,
}: RefuseOutsidersDeps): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const body = readRecord(args.body);
    const refusal = isOtherApps(args.context, body)
      ? 'other_app'
      : refusalOf(args.context['refusal'], body, args.context);
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

type Here = Pick<AllMiddlewareArgs['context'], 'teamId' | 'enterpriseId'>;

function refusalOf(fromAuthorize: unknown, body: JsonRecord, here: Here): Refusal | undefined {
  if (fromAuthorize === 'not_installed' || fromAuthorize === 'unavailable' || fromAuthorize === 'unreadable') {
    return fromAuthorize;
  }
  const home = readHomeTeamId(body);
  if (home !== undefined) return home === here.teamId ? undefined : 'outsider';
  // Slack may name only the enterprise of an author.
  const authorsHome = readAuthorsHome(body);
  return [undefined, here.teamId, here.enterpriseId].includes(authorsHome) ? undefined : 'outsider';
}

/** Events that carry typed text. */
const typedEvents: ReadonlySet<unknown> = new Set(['app_mention', 'message']);

/**
 * Finds the home workspace of a message's author: in a Slack Connect channel people of each company can mention the
 * bot. https://docs.slack.dev/apis/slack-connect: only shared channels have `user_team`; `team`, if present, has the
 * same value.
 * @param body signed by Slack
 * @returns the id of a workspace or an enterprise; `unknown` if Slack names none in a shared channel; undefined outside
 *   of shared channels
 */
function readAuthorsHome(body: JsonRecord): string | undefined {
  const event = readRecord(body['event']);
  if (!typedEvents.has(event['type'])) return undefined;
  const isShared = body['is_ext_shared_channel'] === true;
  return readText(event, 'user_team', ...(isShared ? ['team'] : [])) ?? (isShared ? 'unknown' : undefined);
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
