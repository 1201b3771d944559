/** Drives a local Slack in a test: acts as people, observes what they see, and controls the app's connection. */

import {
  type ElementAction,
  type Invoked,
  performAction,
  type Suggested,
  type SuggestionQuery,
  suggestOptions,
} from '../../../src/local-slack/interactions/block-actions.ts';
import { setShared } from '../../../src/local-slack/interactions/channels.ts';
import { runCommand, type TypedMessage } from '../../../src/local-slack/interactions/commands.ts';
import { findActor, type OnMessage, type Outcome, outcomeOf } from '../../../src/local-slack/interactions/invoke.ts';
import {
  deleteMessage,
  type PickedShortcut,
  postUserMessage,
  runShortcut,
} from '../../../src/local-slack/interactions/messages.ts';
import {
  closeView,
  submitView,
  type ViewClosing,
  type ViewSubmission,
} from '../../../src/local-slack/interactions/modals.ts';
import {
  type DetailsOpening,
  type HomeOpening,
  openDetails,
  openHome,
} from '../../../src/local-slack/interactions/open-home.ts';
import { answer, type ConsentAnswer } from '../../../src/local-slack/oauth/authorize.ts';
import type { OAuthSettings } from '../../../src/local-slack/oauth/oauth.ts';
import type { HttpApp } from '../../../src/local-slack/server/delivery.ts';
import type { Fault } from '../../../src/local-slack/server/local-slack.ts';
import {
  type LocalSlackOptions,
  type RunningSlack,
  slackAckTimeoutMs,
  startLocalSlack,
} from '../../../src/local-slack/server/server.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import type { Tokens } from '../../../src/local-slack/state/installation.ts';
import type { Organization } from '../../../src/local-slack/state/organization.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import {
  type ChannelChange,
  manifestScopes,
  type PersonChange,
  visibleMessages,
  type Workspace,
} from '../../../src/local-slack/state/workspace.ts';
import type { JsonRecord } from '../../../src/shared/json.ts';
import { Calls, chartRefusals, type FaultRule } from './faults.ts';
import { type DisconnectReason, SocketMode } from './socket-mode.ts';
import { type MessageFilter, nextMessage, nextView, type ViewFilter } from './wait-for.ts';

export type InstallOptions = { readonly scopes?: readonly string[]; readonly isRotating?: boolean };

type UninstallEvent = 'app_uninstalled' | 'tokens_revoked';

export class SlackDriver {
  readonly driven: RunningSlack;
  readonly url: string;
  /** Value for `SLACK_API_URL`; ends with a slash. */
  readonly apiUrl: string;
  readonly appToken: string;
  /** The first workspace, and its token. */
  readonly workspace: Workspace;
  readonly botToken: string;
  /** The app's OAuth credentials. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly storageProblem: string | null;
  /** The recorded calls of the app, oldest first. */
  readonly requests: Calls['recorded'];
  readonly #calls: Calls;
  readonly #sockets: SocketMode;

  private constructor(slack: RunningSlack, calls: Calls, sockets: SocketMode, workspace: Workspace) {
    this.driven = slack;
    this.url = slack.baseUrl;
    this.apiUrl = slack.apiUrl;
    this.appToken = sockets.appToken;
    this.workspace = workspace;
    this.botToken = workspace.botToken;
    this.clientId = slack.oauth.clientId;
    this.clientSecret = slack.oauth.clientSecret;
    this.storageProblem = slack.storageProblem;
    this.requests = calls.recorded;
    this.#calls = calls;
    this.#sockets = sockets;
  }

  /** Starts a local Slack that delivers by Socket Mode. @throws AppError `unavailable` if the port is taken */
  static async start(options: LocalSlackOptions): Promise<SlackDriver> {
    const calls = new Calls(options.clock);
    let sockets: SocketMode | undefined;
    const intercept: LocalSlackOptions['intercept'] = (call) => calls.intercept(call) ?? sockets?.answer(call);
    const slack = await startLocalSlack({ ...options, intercept });
    sockets = new SocketMode(slack, calls, options.ackTimeoutMs ?? slackAckTimeoutMs);
    return new SlackDriver(slack, calls, sockets, slack.workspaces.first);
  }

  /** A person types a slash command; resolves after its acknowledgement or failure. */
  readonly command = (typed: TypedMessage) => outcomeOf(runCommand(typed, this.driven));

  /** A person posts a message; the app receives mentions and its direct messages. @returns undefined if the person cannot write there */
  readonly say = (typed: TypedMessage): SlackMessage | undefined => postUserMessage(typed, this.driven);

  /** A person deletes a message: their own, or any as an admin. @returns true if it was deleted */
  readonly deleteMessage = (deleted: OnMessage): boolean => deleteMessage(deleted, this.driven);

  /**
   * A person presses a button, or chooses the value in `selected`, in a message (`channel`, `ts`) or in a view (`view`,
   * its id). Resolves after the acknowledgement or failure.
   */
  readonly press = (worked: ElementAction): Promise<Outcome<Invoked>> => outcomeOf(performAction(worked, this.driven));

  /** A person types into an `external_select`; the app's options can then be selected. */
  readonly suggest = (query: SuggestionQuery): Promise<Outcome<Suggested>> =>
    outcomeOf(suggestOptions(query, this.driven));

  /** A person picks a shortcut from a message's menu; resolves after its acknowledgement or failure. */
  readonly shortcut = (picked: PickedShortcut): Promise<Outcome<Invoked>> =>
    outcomeOf(runShortcut(picked, this.driven));

  /**
   * A person submits a modal; resolves after the app's reply. With errors the modal stays; otherwise it is closed,
   * replaced, or covered by another one.
   */
  readonly submit = (submitted: ViewSubmission): Promise<Outcome<{ readonly afterMs: number }>> =>
    outcomeOf(submitView(submitted, this.driven));

  /** A person closes a modal, or the whole stack. @throws Refused for a view that is not open */
  readonly closeView = (closed: ViewClosing): void => closeView(closed, this.driven);

  /** A person opens the details of an expanded link. @returns false if there is none */
  readonly openDetails = (opening: DetailsOpening): boolean => openDetails(opening, this.driven);

  /** A person opens the app in the sidebar, which sends `app_home_opened`. @returns false for an unknown person or tab */
  readonly openHome = (opened: HomeOpening): boolean => openHome(opened, this.driven);

  /** The modals of a person, the lowest first. */
  readonly modals = (user: string): readonly SlackView[] => this.workspaces().flatMap(({ views }) => views.stack(user));

  /** A person's Home; undefined before the app publishes one. */
  readonly home = (user: string): SlackView | undefined =>
    this.workspaces()
      .map(({ views }) => views.home(user))
      .find(Boolean);

  /** The next modal or Home shown or changed from now on that fits. @throws Error after 200 s */
  readonly nextView = (filter: ViewFilter = {}): Promise<SlackView> => nextView(this.workspaces(), filter);

  /** The messages that a person sees in a channel, oldest first. */
  readonly messages = ({ channel, viewer }: { readonly channel: string; readonly viewer: string }) =>
    this.workspaces().flatMap((each): readonly SlackMessage[] => visibleMessages(each, channel, viewer));

  /** The next message posted or changed from now on that fits. @throws Error after 200 s */
  readonly nextMessage = (filter: MessageFilter = {}): Promise<SlackMessage> => nextMessage(this.workspaces(), filter);

  /** All workspaces in the order of creation. */
  readonly workspaces = (): readonly Workspace[] => this.driven.workspaces.all;

  /**
   * Adds a workspace with people and channels of the same names under other ids (see seed.ts: `personId('ada', 2)`).
   * @param scopes granted to the app there, with a separate token; null if the app is not installed
   */
  readonly addWorkspace = (scopes: readonly string[] | null = manifestScopes): Workspace => {
    const added = this.driven.workspaces.add();
    if (scopes) added.installation.install(scopes, false);
    return added;
  };

  /** The same local Slack with another workspace as the first. @throws Error for an unknown team */
  readonly useWorkspace = (teamId: string): SlackDriver =>
    new SlackDriver(this.driven, this.#calls, this.#sockets, this.#find(teamId));

  #find(teamId: string): Workspace {
    const found = this.driven.workspaces.find(teamId);
    if (!found) throw new Error(`There is no workspace ${teamId}.`);
    return found;
  }

  /** Sets the app's OAuth settings; before that, no redirect URL is allowed. */
  readonly configureOAuth = (settings: OAuthSettings): void => {
    this.driven.oauth.settings = settings;
  };

  /**
   * A person answers the consent page. @param address of `/oauth/v2/authorize` with its query
   * @returns the redirect: with `code` and `state`, or with `error=access_denied`
   * @throws Error with Slack's error for an invalid request
   */
  readonly authorize = (
    address: string,
    { isAllowed = true, ...by }: Omit<ConsentAnswer, 'isAllowed'> & { readonly isAllowed?: boolean },
  ): string => answer(new URL(address).searchParams, { ...by, isAllowed }, this.driven);

  /** Installs the app, or installs it again, without a browser. @returns its new tokens @throws Error for an unknown team */
  readonly install = (teamId: string, { scopes = manifestScopes, isRotating = false }: InstallOptions = {}): Tokens =>
    this.#find(teamId).installation.install(scopes, isRotating);

  /**
   * Removes the app: revokes its tokens, then sends the events. Resolves after each was delivered once.
   * @param events in order of delivery, since Slack guarantees no order; a missing event counts as lost
   */
  readonly uninstall = async (teamId: string, events?: readonly UninstallEvent[]): Promise<void> => {
    const workspace = this.#find(teamId);
    if (!events) return this.driven.appEvents.uninstall(workspace);
    workspace.installation.uninstall();
    const tokens = { oauth: [], bot: [workspace.botUserId] };
    for (const type of events) await this.sendEvent(teamId, type === 'tokens_revoked' ? { type, tokens } : { type });
  };

  /**
   * Adds an Enterprise organization with this many workspaces without the app. Ada of the first one is its admin.
   */
  readonly addOrganization = (
    size = 2,
  ): { readonly organization: Organization; readonly workspaces: readonly Workspace[] } => {
    const organization = this.driven.workspaces.addOrganization(size);
    return { organization, workspaces: this.workspaces().filter((each) => each.organization === organization) };
  };

  #organization(id: string): Organization {
    const found = this.driven.workspaces.organizations.find((each) => each.id === id);
    if (!found) throw new Error(`There is no organization ${id}.`);
    return found;
  }

  /** Installs the app in a whole organization; no workspace has it before `changeAccess`. @returns its tokens */
  readonly installOrganization = (
    id: string,
    { scopes = manifestScopes, isRotating = false }: InstallOptions = {},
  ): Tokens => this.#organization(id).installation.install(scopes, isRotating);

  /** Removes the app from an organization and its workspaces. Resolves after the first delivery of the event. */
  readonly uninstallOrganization = (id: string): Promise<void> =>
    this.driven.appEvents.uninstallOrganization(this.#organization(id));

  /** Adds the app to workspaces of an organization, or removes it. Resolves after the first delivery of the event. */
  readonly changeAccess = (id: string, teamIds: readonly string[], isGranted: boolean): Promise<void> =>
    this.driven.appEvents.changeAccess(this.#organization(id), teamIds, isGranted);

  /**
   * Adds a person to a workspace that is not their home: a member within one organization, otherwise a person of another
   * company (Slack Connect), who acts in channels that `changeChannel` makes shared and adds them to.
   */
  readonly addPerson = (teamId: string, user: string): void => {
    const { person } = findActor(this.workspaces(), user) ?? {};
    if (!person) throw new Error('There is no person of that id.');
    this.#find(teamId).addPerson(person);
  };

  /** Makes a member an admin, a guest, or neither, or deactivates them. */
  readonly changePerson = (user: string, change: PersonChange): void => {
    for (const workspace of this.workspaces()) workspace.changePerson(user, change);
  };

  /** Archives a channel, adds or removes a member (the bot too), or shares it without an event to the app. */
  readonly changeChannel = (channel: string, change: ChannelChange): void => {
    for (const workspace of this.workspaces()) workspace.changeChannel(channel, change);
  };

  /** Shares a channel with another company, or stops. Resolves after the delivery of the event. */
  readonly shareChannel = async (channel: string, isShared: boolean): Promise<void> => {
    const workspace = this.#workspaceOf(channel);
    if (workspace) await setShared(workspace, channel, isShared, this.driven);
  };

  /** Deletes a channel and its messages. Resolves after the delivery of the event. */
  readonly deleteChannel = async (channel: string): Promise<void> => {
    const workspace = this.#workspaceOf(channel);
    const { kind, memberIds } = workspace?.deleteChannel(channel) ?? {};
    if (!workspace || !kind) return;
    const isMember = memberIds?.includes(workspace.botUserId);
    if (kind === 'public' && workspace.scopes.includes('channels:read')) {
      await this.driven.appEvents.send({ type: 'channel_deleted', channel }, workspace);
    }
    if (kind === 'private' && isMember && workspace.scopes.includes('groups:read')) {
      await this.driven.appEvents.send({ type: 'group_deleted', channel }, workspace);
    }
  };

  #workspaceOf(channel: string): Workspace | undefined {
    return this.workspaces().find(({ channels }) => channels.some(({ id }) => id === channel));
  }

  /** Sends any event of a workspace, such as `{ type: 'channel_shared', … }`. Resolves after the first attempt. */
  readonly sendEvent = (teamId: string, event: JsonRecord): Promise<void> =>
    this.driven.appEvents.send(event, this.#find(teamId));

  /** The next calls of a method, of `response_url` or of `socket` (a connection's opening) fail; see faults.ts. */
  readonly fail = (target: string, fault: Fault, times = 1): void => this.#calls.order(target, fault, times);

  /** Calls fail by a rule from now on, such as one in twenty, or those to one channel; null removes the rule. */
  readonly failWhen = (target: string, rule: FaultRule | null): void => this.#calls.rule(target, rule);

  /**
   * Delivers by signed HTTP to this app from now on, after Slack's handshake. Null returns to Socket Mode.
   * @throws Error if the app fails the handshake
   */
  readonly useHttp = async (app: HttpApp | null): Promise<void> => {
    if (app) await this.driven.delivery.register(app);
    this.#sockets.use(app === null);
  };

  /**
   * Changes the next payload to the app: for a person of another workspace in a shared channel
   * (`user.team_id`, `event.user_team`), or for ids that do not belong together.
   */
  readonly tamper = (change: (payload: JsonRecord) => JsonRecord): void => this.driven.delivery.tamper(change);

  readonly disconnectSockets = (reason: DisconnectReason): void => this.#sockets.disconnect(reason);

  readonly connectionCount = (): number => this.#sockets.connectionCount();

  /** Resolves when the app's connection reaches this state. */
  readonly whenConnected = async (isConnected = true): Promise<void> => {
    const { delivery } = this.driven;
    if (delivery.isConnected() === isConnected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = delivery.connection.on((now) => now === isConnected && resolve());
    await promise;
    stop();
  };

  /** Slow and short histories from now on, as for apps outside of the Marketplace. */
  readonly limitHistories = (): void => {
    this.#calls.limitsHistories = true;
  };

  /** Refuses each message with a chart from now on, as a workspace without charts. */
  readonly refuseCharts = (): void => {
    for (const [target, rule] of Object.entries(chartRefusals)) this.failWhen(target, rule);
  };

  readonly close = (): Promise<void> => {
    this.#sockets.close();
    return this.driven.close();
  };
}
