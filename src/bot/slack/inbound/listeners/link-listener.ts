/** Expands links to the platform's web page: name and state for the channel, details for each person who opens the preview. */
import type { Context } from '@slack/bolt';
import type { ChatUnfurlArguments, EntityPresentDetailsArguments } from '@slack/web-api';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Dispatch } from '../../../commands/framework/dispatch.ts';
import type { LinkPreviews } from '../../../commands/link-preview.ts';
import type { Actor } from '../../../domain/person.ts';
import type { WebTarget } from '../../../domain/web-links.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { type LinkPreview, plainDetails, previewBlocks, previewEntity } from '../../../views/notices/link-preview.ts';
import type { Posting } from '../../outbound/delivery/posting.ts';
import type { SlackClients } from '../../outbound/web-api/client.ts';
import type { ConnectCheck } from '../../outbound/web-api/connect-check.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { type RequestedDetails, readRequestedDetails, readSharedLinks } from '../middleware/read-payload.ts';

export type LinkListenerDeps = {
  readonly previews: LinkPreviews;
  readonly dispatch: Dispatch;
  readonly clients: SlackClients;
  readonly connectCheck: Pick<ConnectCheck, 'audienceOfResponseUrl'>;
  readonly posting: Pick<Posting, 'directChannel'>;
  /** True if the configuration enables Work Objects for the app. */
  readonly hasWorkObjects: boolean;
  readonly log: Logger;
};

type EventArgs = { readonly event: unknown; readonly context: Context };

export type LinkListener = {
  readonly onShared: (args: EventArgs) => Promise<void>;
  readonly onDetailsRequested: (args: EventArgs) => Promise<void>;
};

/** Limit of one message; further links stay as they are. */
const linksMax = 5;

export function createLinkListener(deps: LinkListenerDeps): LinkListener {
  return {
    onShared: async ({ event, context }) => {
      const shared = readSharedLinks(readRecord(event), context.teamId);
      const { botToken } = context;
      if (!shared || botToken === undefined) return;
      const { actor, messageTs, urls } = shared;
      const found = await readPreviews(deps, { actor, urls, botToken });
      if (found.length === 0) return;
      await unfurl(deps, botToken, { channel: actor.channelId, ts: messageTs }, found).catch((error: unknown) =>
        deps.log.warn({ teamId: actor.teamId, error: describe(error) }, 'a pasted link could not be expanded'),
      );
    },
    onDetailsRequested: async ({ event, context }) => {
      const requested = readRequestedDetails(readRecord(event), context.teamId);
      const { botToken } = context;
      if (!requested || botToken === undefined) return;
      const details = await detailsOf(deps, requested, botToken);
      const presenting = deps.clients
        .of(botToken)
        .entity.presentDetails({ trigger_id: requested.triggerId, ...details });
      await presenting.catch((error: unknown) =>
        deps.log.warn({ teamId: context.teamId, error: describe(error) }, 'details of a link could not be shown'),
      );
    },
  };
}

type Found = { readonly postedUrl: string; readonly url: string; readonly preview: LinkPreview };
type Pasted = { readonly actor: Actor; readonly urls: readonly string[]; readonly botToken: string };

/** @returns no preview where people outside of the company may read, or where that is not known */
async function readPreviews(
  { previews, connectCheck }: LinkListenerDeps,
  { actor, urls, botToken }: Pasted,
): Promise<readonly Found[]> {
  const targets = urls.flatMap((postedUrl) => {
    const target = previews.links.read(postedUrl);
    return target ? [{ postedUrl, target }] : [];
  });
  if (targets.length === 0) return [];
  const { channelId, userId } = actor;
  if ((await connectCheck.audienceOfResponseUrl({ botToken, channelId }, userId)) !== 'own') return [];
  const found = await Promise.all(
    targets.slice(0, linksMax).map(async ({ postedUrl, target }) => {
      const preview = await previews.of(actor, target);
      return preview && { postedUrl, preview, url: addressOf(previews, target) ?? postedUrl };
    }),
  );
  return found.filter((each) => each !== undefined);
}

/** @returns the address without what the person added; undefined if the template needs another id */
function addressOf({ links }: LinkPreviews, { kind, uuid }: WebTarget): string | undefined {
  return kind === 'workflow' ? links.workflow(uuid) : links.execution(uuid, null);
}

type Place = { readonly channel: string; readonly ts: string };

/**
 * Repeating the call changes the same preview, so a refused Work Object is followed by blocks. Slack accepts an invalid
 * one with a warning and shows nothing.
 */
async function unfurl(
  { clients, hasWorkObjects, log }: LinkListenerDeps,
  botToken: string,
  place: Place,
  found: readonly Found[],
): Promise<void> {
  const call = (content: UnfurlContent) => clients.of(botToken).chat.unfurl({ ...place, ...content });
  if (hasWorkObjects) {
    const entities = found.map(({ preview, ...urls }) => previewEntity(preview, urls));
    const problem = await call({ metadata: { entities } }).then(warningOf, describe);
    if (problem === undefined) return;
    log.warn({ problem }, 'slack refused a Work Object, sending blocks');
  }
  const unfurls = found.map(({ postedUrl, preview }) => [postedUrl, { blocks: previewBlocks(preview) }] as const);
  await call({ unfurls: Object.fromEntries(unfurls) });
}

type UnfurlContent = Pick<Extract<ChatUnfurlArguments, { unfurls: unknown }>, 'unfurls'> | WorkObjects;
type WorkObjects = Pick<Extract<ChatUnfurlArguments, { metadata: unknown }>, 'metadata'>;

function warningOf(answer: { readonly warning?: string; readonly response_metadata?: object }) {
  const { warning } = answer;
  return warning === undefined || warning === 'missing_charset' ? undefined : warning;
}

type Details = Pick<EntityPresentDetailsArguments, 'error' | 'metadata'>;

/** The dispatcher decides what this person may read, as for a typed command. */
async function detailsOf(
  { previews, dispatch, posting }: LinkListenerDeps,
  { person, actor: here, url, postedUrl }: RequestedDetails,
  botToken: string,
): Promise<Details> {
  const target = previews.links.read(url) ?? previews.links.read(postedUrl);
  if (!target) return { error: { status: 'not_found' } };
  const channelId = here?.channelId ?? (await posting.directChannel(botToken, person.userId));
  if (channelId === undefined) return { error: { status: 'internal_error' } };
  const line = `${target.kind === 'workflow' ? 'status' : 'execution'} ${target.uuid}`;
  const request = { line, actor: { ...person, channelId }, isFresh: false };
  const answer = await dispatch(request);
  if (answer.kind === 'modal') return { error: { status: 'internal_error' } };
  const messages = answer.kind === 'message' ? [answer.message] : [answer.root, ...firstReply(answer.replies)];
  const details = plainDetails(messages);
  const isProblem = answer.kind === 'message' && answer.isProblem === true;
  const preview = isProblem ? undefined : await previews.describe(person.teamId, target);
  if (!preview) return { error: { status: 'custom', custom_title: 'Not shown', custom_message: details } };
  return { metadata: previewEntity(preview, { url, postedUrl, details }) };
}

function firstReply(replies: readonly { readonly message: Message }[]): readonly Message[] {
  return replies.slice(0, 1).map(({ message }) => message);
}
