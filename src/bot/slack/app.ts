/** Bolt's app with every listener of the bot. It works the same over Socket Mode and HTTP. */
import { App, type Context, type Receiver } from '@slack/bolt';
import { readRecord, readText } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Dispatch } from '../commands/framework/dispatch.ts';
import type { Submit } from '../commands/framework/submit.ts';
import type { HomeOf } from '../commands/home.ts';
import type { LinkPreviews } from '../commands/link-preview.ts';
import type { NameSearch, NamesIn, ZoneSearch } from '../commands/lookup/menu-search.ts';
import { type Measure, measureNothing } from '../domain/measure.ts';
import { isChannelId } from '../domain/person.ts';
import type { Wait } from '../outbox/timing.ts';
import type { Leases } from '../store/repositories/leases.ts';
import type { Store } from '../store/store.ts';
import { commandActionPattern } from '../views/blocks/command-button.ts';
import { externalSelectActionPattern } from '../views/blocks/inputs.ts';
import { formCallbackPattern } from '../views/blocks/modal.ts';
import {
  type ActionListenerDeps,
  createActionListener,
  createShortcutListener,
  explainFailureId,
} from './inbound/listeners/action-listener.ts';
import { type AnsweringDeps, createAnswering, faultMessage } from './inbound/listeners/answering.ts';
import { createCommandListener, createOtherCommandListener, onCommand } from './inbound/listeners/command-listener.ts';
import { HomeTab } from './inbound/listeners/home-tab.ts';
import { createLinkListener } from './inbound/listeners/link-listener.ts';
import { createMessageListener } from './inbound/listeners/message-listener.ts';
import { createModals } from './inbound/listeners/modals.ts';
import { createOptionsListener, type OptionsListenerDeps } from './inbound/listeners/options-listener.ts';
import {
  createSubmissionListener,
  createSubmitOnce,
  type SubmissionListenerDeps,
} from './inbound/listeners/submission-listener.ts';
import { createThreadFollower } from './inbound/listeners/thread-follower.ts';
import { type Acknowledgements, createAcknowledgements } from './inbound/middleware/acknowledgement.ts';
import {
  type ClaimDelivery,
  createDropDuplicates,
  createMemoryClaim,
  createTakeLease,
} from './inbound/middleware/deduplicate.ts';
import { isTeamId } from './inbound/middleware/read-payload.ts';
import { createRefuseRequests } from './inbound/middleware/refuse-requests.ts';
import type { Access } from './installation/access.ts';
import { createAuthorize } from './installation/workspaces.ts';
import { createDelivery, type Delivery } from './outbound/delivery/delivery.ts';
import { fullPayload } from './outbound/delivery/payload.ts';
import { createRespond, type Respond } from './outbound/delivery/respond.ts';
import type { OutboundSlack } from './outbound/outbound-slack.ts';
import { createThreadDelivery } from './outbound/threads/thread-delivery.ts';
import { slackClientOptions } from './outbound/web-api/client.ts';
import { createSdkLog, describe } from './outbound/web-api/errors.ts';
import type { WaitingTimes } from './waiting-times.ts';

const otherActionPattern = new RegExp(`^(?!${commandActionPattern.source.slice(1)})`);

export type SlackAppDeps = {
  readonly receiver: Receiver;
  readonly outbound: Pick<
    OutboundSlack,
    'clients' | 'connectCheck' | 'history' | 'notifyUser' | 'outboxPosting' | 'posting' | 'stopping' | 'web'
  > & {
    readonly access: Pick<Access, 'installUrl' | 'listen' | 'workspaces'>;
  };
  /** A channel was deleted; it never comes back. */
  readonly onChannelDeleted?:
    | ((channel: { readonly teamId: string; readonly channelId: string }) => Promise<void>)
    | undefined;
  readonly dispatch: Dispatch;
  readonly opensModal: AnsweringDeps['opensModal'];
  readonly submit: Submit;
  readonly searchNames: NameSearch;
  readonly namesIn: NamesIn;
  readonly searchZones: ZoneSearch;
  /** Facts for a person's Home tab. If left out, the tab stays empty. */
  readonly homeOf?: HomeOf;
  /** Previews of links to the platform's web page. If left out, links stay as they are. */
  readonly previews?: LinkPreviews;
  /** True if the configuration enables Work Objects for the app. */
  readonly hasWorkObjects?: boolean;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
  readonly measure?: Measure;
  readonly waitingTimes: WaitingTimes;
  /** Threads are deliveries of its outbox. */
  readonly store: Pick<Store, 'outbox' | 'postPermits'>;
  /** Shared by the processes of one app. If left out, this process remembers deliveries itself. */
  readonly claim?: ClaimDelivery;
  /** Leases for submitted forms and shared answers, shared in the same way. */
  readonly leases?: Pick<Leases, 'take'>;
  readonly wait?: Wait | undefined;
};

export type SlackApp = {
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
};

/** Connects the receiver to the listeners; the receiver's creator starts and stops it. */
export function createSlackApp(deps: SlackAppDeps): SlackApp {
  const { clock, log, slashCommand, measure = measureNothing, waitingTimes } = deps;
  const { access, clients, connectCheck, notifyUser, posting, web } = deps.outbound;
  const acknowledgements = createAcknowledgements({ log, measure, limitMs: waitingTimes.acknowledgeWithinMs });
  const respond = createRespond({ ...web, connectCheck });
  const delivery = createDelivery({ ...deps, respond, posting });
  const openThread = createThreadDelivery({ ...deps, ...deps.outbound, ...waitingTimes });
  const followThread = createThreadFollower({ ...deps, openThread, stopping: deps.outbound.stopping });
  const modals = createModals({ clients, log });
  const { placeOf } = connectCheck;
  const answer = createAnswering({ ...deps, posting, placeOf, openThread, followThread, modals });
  const app = new App({
    receiver: deps.receiver,
    authorize: createAuthorize(access.workspaces, log),
    clientOptions: slackClientOptions(web),
    logger: createSdkLog(log),
    convoStore: false,
    // The message listener ignores the bot's own messages; Bolt would check commands and presses too.
    ignoreSelf: false,
    extendedErrorHandler: true,
  });
  app.use(createDropDuplicates({ claim: deps.claim ?? createMemoryClaim(clock), log }));
  app.use(createRefuseRequests({ log, respond, posting, clients, installUrl: access.installUrl }));
  const listenToCommand = createCommandListener({ ...waitingTimes, answer, acknowledgements, delivery });
  app.use(onCommand(slashCommand, listenToCommand, createOtherCommandListener(slashCommand)));
  const homeTab = deps.homeOf && new HomeTab({ ...deps, clients, homeOf: deps.homeOf });
  const answering = { ...deps, answer, acknowledgements, delivery, respond, posting, notifyUser, modals, homeTab };
  listenToPresses(app, { ...answering, takeLease: createTakeLease(deps) });
  listenToEvents(
    app,
    createMessageListener({ answer, posting, outbox: deps.store.outbox, wait: deps.wait }),
    deps,
    homeTab,
  );
  listenToLinks(app, deps);
  app.shortcut(explainFailureId, createShortcutListener({ ...deps, answer, acknowledgements, delivery }));
  // Slack reports every press, also of a button that only opens a link.
  app.action(otherActionPattern, async ({ ack }) => ack());
  access.listen(app);
  app.error(createErrorHandler(deps, respond));
  return { acknowledgements, delivery };
}

type PressesDeps = ActionListenerDeps &
  Omit<SubmissionListenerDeps, 'submit'> &
  OptionsListenerDeps &
  Pick<SlackAppDeps, 'submit'>;

/** Listens to buttons, menus and forms. */
function listenToPresses(app: App, deps: PressesDeps): void {
  app.action(commandActionPattern, createActionListener(deps));
  const submit = createSubmitOnce(deps.submit, deps.takeLease);
  app.view(
    { callback_id: formCallbackPattern, type: 'view_submission' },
    createSubmissionListener({ ...deps, submit }),
  );
  const offer = createOptionsListener(deps);
  for (const pattern of [commandActionPattern, externalSelectActionPattern]) app.options(pattern, offer);
}

function listenToLinks(app: App, { outbound, previews, ...deps }: SlackAppDeps): void {
  if (!previews) return;
  const { onShared, onDetailsRequested } = createLinkListener({
    hasWorkObjects: false,
    ...deps,
    ...outbound,
    previews,
  });
  app.event('link_shared', onShared);
  app.event('entity_details_requested', onDetailsRequested);
}

/** Listens to messages, the Home tab and changes of channels. */
function listenToEvents(
  app: App,
  listen: ReturnType<typeof createMessageListener>,
  { outbound: { connectCheck }, onChannelDeleted }: SlackAppDeps,
  homeTab?: HomeTab,
): void {
  const { forget } = connectCheck;
  app.event('app_mention', listen);
  app.event('message', async (args) => {
    if (readText(readRecord(args.event), 'channel_type') === 'im') await listen(args);
  });
  if (homeTab) app.event('app_home_opened', (args) => homeTab.listen(args));
  // Slack informs one process; the others ask Slack again within a minute.
  app.event('channel_shared', async ({ event }) => forget(event.channel));
  app.event('channel_unshared', async ({ event }) => forget(event.channel));
  // The workspace comes from the context, never from the event.
  const endChannel = async (teamId: unknown, channelId: unknown) => {
    if (!isTeamId(teamId) || !isChannelId(channelId)) return;
    forget(channelId);
    await onChannelDeleted?.({ teamId, channelId });
  };
  app.event('channel_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
  app.event('group_deleted', async ({ event, context }) => endChannel(context.teamId, event.channel));
}

/** Handles errors that no listener caught: logs them with a reference, and informs the person if that is still possible. */
function createErrorHandler({ log, createReference }: SlackAppDeps, respond: Respond) {
  return async ({ error, body, context }: { error: unknown; body: unknown; context: Context }) => {
    const reference = createReference();
    log.error({ teamId: context.teamId, ref: reference, error: describe(error) }, 'slack listener failed');
    const payload = fullPayload(faultMessage(reference), { kind: 'new', visibility: 'ephemeral' });
    await respond(readText(readRecord(body), 'response_url'), payload);
  };
}
