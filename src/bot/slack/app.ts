/** Bolt's app with every listener of the bot. It works the same over Socket Mode and HTTP. */
import { App, type Context, type Receiver } from '@slack/bolt';
import { readRecord, readText } from '../../shared/json.ts';
import { isChannelId } from '../domain/person.ts';
import { commandActionPattern } from '../views/blocks/command-button.ts';
import { externalSelectActionPattern } from '../views/blocks/inputs.ts';
import { formCallbackPattern } from '../views/blocks/modal.ts';
import { createActionListener, createShortcutListener, explainFailureId } from './inbound/listeners/action-listener.ts';
import { faultMessage } from './inbound/listeners/answering.ts';
import { onCommand } from './inbound/listeners/command-listener.ts';
import { Inbound } from './inbound/listeners/inbound.ts';
import { listenToLinks } from './inbound/listeners/link-listener.ts';
import { createMessageListener } from './inbound/listeners/message-listener.ts';
import { createOptionsListener } from './inbound/listeners/options-listener.ts';
import { createSubmissionListener } from './inbound/listeners/submission-listener.ts';
import { createDropDuplicates } from './inbound/middleware/deduplicate.ts';
import { isTeamId } from './inbound/middleware/read-payload.ts';
import { createRefuseRequests } from './inbound/middleware/refuse-requests.ts';
import type { InboundServices } from './inbound/services.ts';
import { createAuthorize } from './installation/workspaces.ts';
import { fullPayload } from './outbound/delivery/payload.ts';
import { slackClientOptions } from './outbound/web-api/client.ts';
import { createSdkLog, describe } from './outbound/web-api/errors.ts';

const otherActionPattern = new RegExp(`^(?!${commandActionPattern.source.slice(1)})`);

/** Connects the receiver to the listeners; the receiver's creator starts and stops it. */
export function createSlackApp(receiver: Receiver, services: InboundServices): Inbound {
  const { log } = services.runtime;
  const { access, web } = services.slack;
  const inbound = new Inbound(services);
  const app = new App({
    receiver,
    authorize: createAuthorize(access.workspaces, log),
    clientOptions: slackClientOptions(web),
    logger: createSdkLog(log),
    convoStore: false,
    // The message listener ignores the bot's own messages; Bolt would check commands and presses too.
    ignoreSelf: false,
    extendedErrorHandler: true,
  });
  app.use(createDropDuplicates(services));
  app.use(createRefuseRequests(services));
  app.use(onCommand(inbound));
  app.action(commandActionPattern, createActionListener(inbound));
  app.view({ callback_id: formCallbackPattern, type: 'view_submission' }, createSubmissionListener(inbound));
  const offer = createOptionsListener(inbound);
  for (const pattern of [commandActionPattern, externalSelectActionPattern]) app.options(pattern, offer);
  listenToEvents(app, inbound);
  if (services.previews) listenToLinks(app, services, services.previews);
  app.shortcut(explainFailureId, createShortcutListener(inbound));
  // Slack reports every press, also of a button that only opens a link.
  app.action(otherActionPattern, async ({ ack }) => ack());
  access.listen(app);
  app.error(createErrorHandler(services));
  return inbound;
}

function listenToEvents(app: App, inbound: Inbound): void {
  const { homeTab, services } = inbound;
  const { connectCheck } = services.slack;
  const listen = createMessageListener(inbound);
  app.event('app_mention', listen);
  app.event('message', async (args) => {
    if (readText(readRecord(args.event), 'channel_type') === 'im') await listen(args);
  });
  if (homeTab) app.event('app_home_opened', (args) => homeTab.listen(args));
  // Slack informs one process; the others ask Slack again within a minute.
  app.event('channel_shared', async ({ event }) => connectCheck.forget(event.channel));
  app.event('channel_unshared', async ({ event }) => connectCheck.forget(event.channel));
  app.event('channel_left', async ({ event }) => connectCheck.forget(event.channel));
  app.event('group_left', async ({ event }) => connectCheck.forget(event.channel));
  // The workspace comes from the context, never from the event.
  const endChannel = async (teamId: unknown, channelId: unknown) => {
    if (!isTeamId(teamId) || !isChannelId(channelId)) return;
    connectCheck.forget(channelId);
    await services.onChannelDeleted?.({ teamId, channelId });
  };
  app.event('channel_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
  app.event('group_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
}

/** Handles errors that no listener caught: logs them with a reference, and informs the person if that is still possible. */
function createErrorHandler({ runtime, slack }: InboundServices) {
  return async ({ error, body, context }: { error: unknown; body: unknown; context: Context }) => {
    const reference = runtime.createReference();
    runtime.log.error({ teamId: context.teamId, ref: reference, error: describe(error) }, 'slack listener failed');
    const payload = fullPayload(faultMessage(reference), { kind: 'new', visibility: 'ephemeral' });
    await slack.delivery.respond(readText(readRecord(body), 'response_url'), payload);
  };
}
