/** Bolt's app with every listener of ours: the same for Socket Mode and HTTP; it knows neither. */
import { App, type Context, type Receiver } from '@slack/bolt';
import type { Dispatch } from '../commands/dispatch.ts';
import type { HomeOf } from '../commands/home.ts';
import type { NameSearch } from '../commands/search-names.ts';
import type { ZoneSearch } from '../commands/search-zones.ts';
import type { Submit } from '../commands/submit.ts';
import { isChannelId } from '../core/channel-id.ts';
import type { Clock } from '../core/clock.ts';
import { type Measure, measureNothing } from '../core/measure.ts';
import type { Leases } from '../store/leases.ts';
import type { Threads } from '../store/threads.ts';
import { commandActionPattern } from '../views/kit/command-button.ts';
import { findActionPattern } from '../views/kit/find-inputs.ts';
import { formCallbackPattern } from '../views/kit/modal.ts';
import type { Access } from './access.ts';
import { type Acknowledgements, createAcknowledgements } from './acknowledgement.ts';
import { createActionListener } from './action-listener.ts';
import { createAnswering, faultMessage } from './answering.ts';
import { type SlackClientDeps, type SlackClients, slackClientOptions } from './client.ts';
import { createCommandListener, createOtherCommandListener, onCommand } from './command-listener.ts';
import type { ConnectCheck } from './connect-check.ts';
import { createDelivery, type Delivery, type DeliveryDeps } from './delivery.ts';
import { createDirectDelivery } from './direct-delivery.ts';
import { isTeamId } from './envelope.ts';
import { describe } from './errors.ts';
import { createFileDelivery } from './file-delivery.ts';
import { createGate } from './gate.ts';
import { createHomePress } from './home-press.ts';
import { createHomes, type Homes } from './homes.ts';
import { createMessageListener } from './message-listener.ts';
import { createModals } from './modals.ts';
import { createOptionsListener } from './options-listener.ts';
import { fullPayload } from './payload.ts';
import { createPosting } from './posting.ts';
import { readRecord, readText } from './read.ts';
import { createRespond, type Respond } from './respond.ts';
import { createSdkLog } from './sdk-log.ts';
import { type Claim, createClaim } from './seen.ts';
import { createShortcutListener, explainFailureId } from './shortcut-listener.ts';
import type { SendBytes } from './slack-fetch.ts';
import { createSubmissionListener } from './submission-listener.ts';
import { createSubmitOnce } from './submit-once.ts';
import { createTelling, type Telling } from './telling.ts';
import { createThreadDelivery } from './thread-delivery.ts';
import { createAuthorize } from './workspaces.ts';

const otherActionPattern = new RegExp(`^(?!${commandActionPattern.source.slice(1)})`);

export type SlackAppDeps = SlackClientDeps & {
  readonly receiver: Receiver;
  readonly access: Pick<Access, 'installUrl' | 'listen' | 'workspaces'>;
  readonly clients: SlackClients;
  readonly connectCheck: ConnectCheck;
  /** A channel was deleted; it never comes back. */
  readonly onChannelDeleted?:
    | ((channel: { readonly teamId: string; readonly channelId: string }) => Promise<void>)
    | undefined;
  readonly dispatch: Dispatch;
  readonly submit: Submit;
  readonly searchNames: NameSearch;
  readonly searchZones: ZoneSearch;
  /** What stands in a person's Home; it stays empty where left out. */
  readonly homeOf?: HomeOf;
  /** With its slash. */
  readonly slashCommand: string;
  readonly clock: Clock;
  readonly createReference: () => string;
  readonly measure?: Measure;
  /** Slack gives up after 3 s. */
  readonly acknowledgeWithinMs: number;
  readonly sendBytes: SendBytes;
  readonly threads: Threads;
  /** Where several processes answer for one app, something they share; else this process remembers. */
  readonly claim?: Claim;
  /** The same for forms that were sent. */
  readonly leases?: Pick<Leases, 'take'>;
  readonly wait?: DeliveryDeps['wait'];
};

export type SlackApp = {
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
  readonly tell: Telling;
};

/** Connects the receiver to the listeners; whoever made the receiver starts and stops it. */
export function createSlackApp(deps: SlackAppDeps): SlackApp {
  const { clock, log, slashCommand, clients, access } = deps;
  const acknowledgements = createAcknowledgements({
    log,
    measure: deps.measure ?? measureNothing,
    withinMs: deps.acknowledgeWithinMs,
  });
  const respond = createRespond(deps);
  const delivery = createDelivery({ respond, clients, log, ...(deps.wait && { wait: deps.wait }) });
  const posting = createPosting({ clients, log, sendBytes: deps.sendBytes });
  const openThread = createThreadDelivery({ posting, threads: deps.threads, clock, log });
  const modals = createModals({ clients, log });
  const [deliverFiles, deliverDirectly] = [createFileDelivery({ posting }), createDirectDelivery({ posting })];
  const answer = createAnswering({ ...deps, openThread, deliverFiles, deliverDirectly, modals });
  const app = new App({
    receiver: deps.receiver,
    authorize: createAuthorize(access.workspaces, log),
    clientOptions: slackClientOptions(deps),
    logger: createSdkLog(log),
    convoStore: false,
    // The listener of messages does so; Bolt would look at commands and presses too.
    ignoreSelf: false,
    extendedErrorHandler: true,
  });
  app.use(createGate({ claim: deps.claim ?? createClaim(clock), log, respond, installUrl: access.installUrl }));
  const listenToCommand = createCommandListener({ answer, acknowledgements, delivery });
  app.use(onCommand(slashCommand, listenToCommand, createOtherCommandListener(slashCommand)));
  const pressAtHome = createHomePress({ answer, posting, log });
  app.action(
    commandActionPattern,
    createActionListener({ answer, acknowledgements, delivery, respond, pressAtHome, clock, slashCommand }),
  );
  const tell = createTelling({ posting });
  const homes = deps.homeOf && createHomes({ ...deps, homeOf: deps.homeOf });
  const submitting = { submit: createSubmitOnce(deps), acknowledgements, modals, tell, renewHome: homes?.renew, clock };
  app.view({ callback_id: formCallbackPattern, type: 'view_submission' }, createSubmissionListener(submitting));
  const offer = createOptionsListener({ ...deps, acknowledgements });
  for (const pattern of [commandActionPattern, findActionPattern]) app.options(pattern, offer);
  listenToEvents(app, createMessageListener({ answer, posting, wait: deps.wait }), deps, homes);
  app.shortcut(explainFailureId, createShortcutListener({ answer, acknowledgements, delivery }));
  // A button that only opens a link tells us that it was pressed.
  app.action(otherActionPattern, async ({ ack }) => ack());
  access.listen(app);
  app.error(createErrorHandler(deps, respond));
  return { acknowledgements, delivery, tell };
}

/** What happens without anybody pressing or typing a command. */
function listenToEvents(
  app: App,
  listen: ReturnType<typeof createMessageListener>,
  { connectCheck: { forget }, onChannelDeleted }: SlackAppDeps,
  homes?: Homes,
): void {
  app.event('app_mention', listen);
  app.event('message', async (heard) => {
    if (readText(readRecord(heard.event), 'channel_type') === 'im') await listen(heard);
  });
  if (homes) app.event('app_home_opened', homes.listen);
  // Other processes hear nothing of it: they ask Slack again within a minute.
  app.event('channel_shared', async ({ event }) => forget(event.channel));
  app.event('channel_unshared', async ({ event }) => forget(event.channel));
  // The workspace is the one of the context, never one that the event names.
  const endChannel = async (teamId: unknown, channelId: unknown) => {
    if (!isTeamId(teamId) || !isChannelId(channelId)) return;
    forget(channelId);
    await onChannelDeleted?.({ teamId, channelId });
  };
  app.event('channel_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
  app.event('group_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
}

/** For what no listener caught: in the log with a reference, and with the person if there is still a way to them. */
function createErrorHandler({ log, createReference }: SlackAppDeps, respond: Respond) {
  return async ({ error, body, context }: { error: unknown; body: unknown; context: Context }) => {
    const reference = createReference();
    log.error({ teamId: context.teamId, ref: reference, error: describe(error) }, 'slack listener failed');
    const payload = fullPayload(faultMessage(reference), { kind: 'new', visibility: 'ephemeral' });
    await respond(readText(readRecord(body), 'response_url'), payload);
  };
}
