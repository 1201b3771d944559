/** Expands links to the platform's web page: name and state for the channel, details for each person who opens the preview. */
import type { App } from '@slack/bolt';
import type { ChatUnfurlArguments, EntityPresentDetailsArguments } from '@slack/web-api';
import { readRecord } from '../../../../shared/json.ts';
import type { LinkPreviews } from '../../../commands/link-preview.ts';
import type { Actor } from '../../../domain/person.ts';
import { type LinkPreview, plainDetails, previewBlocks, previewEntity } from '../../../views/notices/link-preview.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import {
  type EventArgs,
  type RequestedDetails,
  readRequestedDetails,
  readSharedLinks,
} from '../middleware/read-payload.ts';
import type { InboundServices } from '../services.ts';

/** Limit of one message; further links stay as they are. */
const linksMax = 5;

export function listenToLinks(app: App, services: InboundServices, previews: LinkPreviews): void {
  const { slack, runtime } = services;
  const onShared = async ({ event, context }: EventArgs) => {
    const shared = readSharedLinks(readRecord(event), context.teamId);
    const { botToken } = context;
    if (!shared || botToken === undefined) return;
    const { actor, messageTs, urls } = shared;
    const found = await readPreviews(services, previews, { actor, urls, botToken });
    if (found.length === 0) return;
    await unfurl(services, botToken, { channel: actor.channelId, ts: messageTs }, found).catch((error: unknown) =>
      runtime.log.warn({ teamId: actor.teamId, error: describe(error) }, 'a pasted link could not be expanded'),
    );
  };
  const onDetailsRequested = async ({ event, context }: EventArgs) => {
    const requested = readRequestedDetails(readRecord(event), context.teamId);
    const { botToken } = context;
    if (!requested || botToken === undefined) return;
    const details = await detailsOf(services, previews, requested, botToken);
    const presenting = slack.clients
      .of(botToken)
      .entity.presentDetails({ trigger_id: requested.triggerId, ...details });
    await presenting.catch((error: unknown) =>
      runtime.log.warn({ teamId: context.teamId, error: describe(error) }, 'details of a link could not be shown'),
    );
  };
  app.event('link_shared', onShared);
  app.event('entity_details_requested', onDetailsRequested);
}

type Found = { readonly postedUrl: string; readonly url: string; readonly preview: LinkPreview };
type Pasted = { readonly actor: Actor; readonly urls: readonly string[]; readonly botToken: string };

/** @returns no preview where people outside of the company may read, or where that is not known */
async function readPreviews(
  { slack }: InboundServices,
  previews: LinkPreviews,
  { actor, urls, botToken }: Pasted,
): Promise<readonly Found[]> {
  const targets = urls.flatMap((postedUrl) => {
    const target = previews.links.read(postedUrl);
    return target ? [{ postedUrl, target }] : [];
  });
  if (targets.length === 0) return [];
  const { channelId, userId } = actor;
  if ((await slack.connectCheck.audienceOfResponseUrl({ botToken, channelId }, userId)) !== 'own') return [];
  const found = await Promise.all(
    targets.slice(0, linksMax).map(async ({ postedUrl, target }) => {
      const preview = await previews.of(actor, target);
      const { kind, uuid } = target;
      // Without what the person added; undefined if the template needs another id.
      const url = kind === 'workflow' ? previews.links.workflow(uuid) : previews.links.execution(uuid, null);
      return preview && { postedUrl, preview, url: url ?? postedUrl };
    }),
  );
  return found.filter((each) => each !== undefined);
}

/**
 * Repeating the call changes the same preview, so a refused Work Object is followed by blocks. Slack accepts an invalid
 * one with a warning and shows nothing.
 */
async function unfurl(
  { slack, hasWorkObjects, runtime }: InboundServices,
  botToken: string,
  place: { readonly channel: string; readonly ts: string },
  found: readonly Found[],
): Promise<void> {
  const call = (content: UnfurlContent) => slack.clients.of(botToken).chat.unfurl({ ...place, ...content });
  if (hasWorkObjects) {
    const entities = found.map(({ preview, ...urls }) => previewEntity(preview, urls));
    const problem = await call({ metadata: { entities } }).then(warningOf, describe);
    if (problem === undefined) return;
    runtime.log.warn({ problem }, 'slack refused a Work Object, sending blocks');
  }
  const unfurls = found.map(({ postedUrl, preview }) => [postedUrl, { blocks: previewBlocks(preview) }] as const);
  await call({ unfurls: Object.fromEntries(unfurls) });
}

type UnfurlContent =
  | Pick<Extract<ChatUnfurlArguments, { unfurls: unknown }>, 'unfurls'>
  | Pick<Extract<ChatUnfurlArguments, { metadata: unknown }>, 'metadata'>;

function warningOf(answer: { readonly warning?: string; readonly response_metadata?: object }) {
  const { warning } = answer;
  return warning === undefined || warning === 'missing_charset' ? undefined : warning;
}

/** The dispatcher decides what this person may read, as for a typed command. */
async function detailsOf(
  { dispatch, slack }: InboundServices,
  previews: LinkPreviews,
  { person, actor: here, url, postedUrl }: RequestedDetails,
  botToken: string,
): Promise<Pick<EntityPresentDetailsArguments, 'error' | 'metadata'>> {
  const target = previews.links.read(url) ?? previews.links.read(postedUrl);
  if (!target) return { error: { status: 'not_found' } };
  const channelId = here?.channelId ?? (await slack.posting.directChannel(botToken, person.userId));
  if (channelId === undefined) return { error: { status: 'internal_error' } };
  const line = `${target.kind === 'workflow' ? 'status' : 'execution'} ${target.uuid}`;
  const request = { line, actor: { ...person, channelId }, isFresh: false };
  const answer = await dispatch(request);
  if (answer.kind === 'modal') return { error: { status: 'internal_error' } };
  const messages =
    answer.kind === 'message'
      ? [answer.message]
      : [answer.root, ...answer.replies.slice(0, 1).map(({ message }) => message)];
  const details = plainDetails(messages);
  const isProblem = answer.kind === 'message' && answer.isProblem === true;
  const preview = isProblem ? undefined : await previews.describe(person.teamId, target);
  if (!preview) return { error: { status: 'custom', custom_title: 'Not shown', custom_message: details } };
  return { metadata: previewEntity(preview, { url, postedUrl, details }) };
}
