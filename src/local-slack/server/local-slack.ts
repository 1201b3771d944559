/** The local Slack as a program drives it: acts as people, observes what they see, and controls the app's connection. */
import type { JsonRecord } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { UninstallOptions } from '../interactions/app-events.ts';
import { type ElementAction, type Invoked, performAction } from '../interactions/block-actions.ts';
import { type Suggested, type SuggestionQuery, suggestOptions } from '../interactions/block-suggestions.ts';
import { deleteChannel, setShared } from '../interactions/channels.ts';
import { type CommandResult, runCommand, type TypedMessage } from '../interactions/commands.ts';
import { findActor, type OnMessage, type Outcome, outcomeOf } from '../interactions/invoke.ts';
import { deleteMessage, postUserMessage } from '../interactions/messages.ts';
import { closeView, submitView, type ViewClosing, type ViewSubmission } from '../interactions/modals.ts';
import { type DetailsOpening, type HomeOpening, openDetails, openHome } from '../interactions/open-home.ts';
import { type PickedShortcut, runShortcut } from '../interactions/shortcuts.ts';
import type { OAuthSettings } from '../oauth/oauth.ts';
import { answer, type ConsentAnswer } from '../oauth/routes.ts';
import type { PageCommand } from '../page/protocol.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Tokens } from '../state/installation.ts';
import type { Organization } from '../state/organization.ts';
import type { SlackView } from '../state/view.ts';
import {
  type ChannelChange,
  manifestScopes,
  type PersonChange,
  visibleMessages,
  type Workspace,
} from '../state/workspace.ts';
import type { RecordedRequest } from './api-routes.ts';
import type { HttpApp } from './delivery.ts';
import type { Fault, FaultRule } from './faults.ts';
import type { RouteDeps } from './routes.ts';
import type { DisconnectReason } from './socket.ts';
import { type MessageFilter, nextMessage, nextView, type ViewFilter } from './wait-for.ts';

export type LocalSlackOptions = {
  /** Loopback only: there is no authentication, so every client can act as any member. */
  readonly host: '127.0.0.1';
  /** 0 for any free port. */
  readonly port: number;
  /** For example `/workflow`. */
  readonly slashCommand: string;
  /** The manifest's `home_tab_enabled`; false by default. */
  readonly hasHome?: boolean;
  /** The manifest's `unfurl_domains`; none by default. */
  readonly unfurlDomains?: readonly string[];
  /** Commands for the composer's completion. */
  readonly commands: readonly PageCommand[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Timeout of an acknowledgement; Slack's three seconds by default. */
  readonly ackTimeoutMs?: number;
  /** Delays of the retries of an event that is not acknowledged; Slack's by default. */
  readonly eventRetryDelaysMs?: readonly number[];
  /** Limits reading histories to one call in this time and fifteen messages, as for apps outside of the Marketplace. */
  readonly historyEveryMs?: number;
  /** SQLite file that keeps messages, files, channels and workspaces over a restart; in memory only by default. */
  readonly storageFile?: string;
  /** False refuses charts, as a workspace does that has no data_visualization blocks; true by default. */
  readonly hasCharts?: boolean;
};

export type InstallOptions = { readonly scopes?: readonly string[]; readonly isRotating?: boolean };

type Ending = { readonly storageProblem: string | null; readonly stop: () => Promise<void> };

export class LocalSlack {
  readonly #deps: RouteDeps;
  readonly #ending: Ending;
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
  /** A sentence for people if the storage file could not be read and was moved away; null otherwise. */
  readonly storageProblem: string | null;
  /** The recorded calls of the app, oldest first. */
  readonly requests: readonly RecordedRequest[];

  constructor(deps: RouteDeps, ending: Ending, workspace: Workspace = deps.workspaces.first) {
    this.#deps = deps;
    this.#ending = ending;
    this.url = deps.baseUrl;
    this.apiUrl = `${this.url}/api/`;
    this.appToken = deps.appToken;
    this.workspace = workspace;
    this.botToken = workspace.botToken;
    this.clientId = deps.oauth.clientId;
    this.clientSecret = deps.oauth.clientSecret;
    this.storageProblem = ending.storageProblem;
    this.requests = deps.requests;
  }

  /** A person types a slash command; resolves after its acknowledgement or failure. */
  readonly command = (typed: TypedMessage): Promise<CommandResult> => runCommand(typed, this.#deps);

  /** A person posts a message; the app receives mentions and its direct messages. @returns undefined if the person cannot write there */
  readonly say = (typed: TypedMessage): SlackMessage | undefined => postUserMessage(typed, this.#deps);

  /** A person deletes a message: their own, or any as an admin. @returns true if it was deleted */
  readonly deleteMessage = (deleted: OnMessage): boolean => deleteMessage(deleted, this.#deps);

  /**
   * A person presses a button, or chooses the value in `selected`, in a message (`channel`, `ts`) or in a view (`view`,
   * its id). Resolves after the acknowledgement or failure.
   */
  readonly press = (worked: ElementAction): Promise<Outcome<Invoked>> => outcomeOf(performAction(worked, this.#deps));

  /** A person types into an `external_select`; the app's options can then be selected. */
  readonly suggest = (query: SuggestionQuery): Promise<Outcome<Suggested>> =>
    outcomeOf(suggestOptions(query, this.#deps));

  /** A person picks a shortcut from a message's menu; resolves after its acknowledgement or failure. */
  readonly shortcut = (picked: PickedShortcut): Promise<Outcome<Invoked>> => outcomeOf(runShortcut(picked, this.#deps));

  /**
   * A person submits a modal; resolves after the app's reply. With errors the modal stays; otherwise it is closed,
   * replaced, or covered by another one.
   */
  readonly submit = (submitted: ViewSubmission): Promise<Outcome<{ readonly afterMs: number }>> =>
    outcomeOf(submitView(submitted, this.#deps));

  /** A person closes a modal, or the whole stack; resolves after the delivery of each requested `view_closed`. */
  readonly closeView = (closed: ViewClosing): Promise<Outcome> => outcomeOf(closeView(closed, this.#deps));

  /** A person opens the details of an expanded link. @returns false if there is none */
  readonly openDetails = (opening: DetailsOpening): boolean => openDetails(opening, this.#deps);

  /** A person opens the app in the sidebar, which sends `app_home_opened`. @returns false for an unknown person or tab */
  readonly openHome = (opened: HomeOpening): boolean => openHome(opened, this.#deps);

  /** The modals of a person, the lowest first. */
  readonly modals = (user: string): readonly SlackView[] => this.workspaces().flatMap(({ views }) => views.stack(user));

  /** A person's Home; undefined before the app publishes one. */
  readonly home = (user: string): SlackView | undefined =>
    this.workspaces()
      .map(({ views }) => views.home(user))
      .find(Boolean);

  /** The next modal or Home shown or changed from now on that fits. @throws Error after a minute */
  readonly nextView = (filter: ViewFilter = {}): Promise<SlackView> => nextView(this.workspaces(), filter);

  /** The messages that a person sees in a channel, oldest first. */
  readonly messages = ({ channel, viewer }: { readonly channel: string; readonly viewer: string }) =>
    this.workspaces().flatMap((each): readonly SlackMessage[] => visibleMessages(each, channel, viewer));

  /** The next message posted or changed from now on that fits. @throws Error after a minute */
  readonly nextMessage = (filter: MessageFilter = {}): Promise<SlackMessage> => nextMessage(this.workspaces(), filter);

  /** All workspaces in the order of creation. */
  readonly workspaces = (): readonly Workspace[] => this.#deps.workspaces.all;

  /**
   * Adds a workspace with people and channels of the same names under other ids (see seed.ts: `personId('ada', 2)`).
   * @param scopes granted to the app there, with a separate token; null if the app is not installed
   */
  readonly addWorkspace = (scopes: readonly string[] | null = manifestScopes): Workspace => {
    const added = this.#deps.workspaces.add();
    if (scopes) added.installation.install(scopes, false);
    return added;
  };

  /** The same local Slack with another workspace as the first. @throws Error for an unknown team */
  readonly useWorkspace = (teamId: string): LocalSlack => new LocalSlack(this.#deps, this.#ending, this.#find(teamId));

  #find(teamId: string): Workspace {
    const found = this.#deps.workspaces.find(teamId);
    if (!found) throw new Error(`There is no workspace ${teamId}.`);
    return found;
  }

  /** Sets the app's OAuth settings; before that, no redirect URL is allowed. */
  readonly configureOAuth = (settings: OAuthSettings): void => {
    this.#deps.oauth.settings = settings;
  };

  /**
   * A person answers the consent page. @param address of `/oauth/v2/authorize` with its query
   * @returns the redirect: with `code` and `state`, or with `error=access_denied`
   * @throws Error with Slack's error for an invalid request
   */
  readonly authorize = (
    address: string,
    { isAllowed = true, ...by }: Pick<ConsentAnswer, 'organization' | 'user'> & { readonly isAllowed?: boolean },
  ): string => {
    const answered = answer(new URL(address).searchParams, { ...by, isAllowed }, this.#deps);
    if ('error' in answered) throw new Error(answered.error);
    return answered.location;
  };

  /** Installs the app, or installs it again, without a browser. @returns its new tokens @throws Error for an unknown team */
  readonly install = (teamId: string, { scopes = manifestScopes, isRotating = false }: InstallOptions = {}): Tokens =>
    this.#find(teamId).installation.install(scopes, isRotating);

  /**
   * Removes the app: revokes its tokens, then sends the events. Resolves after each was delivered once, in the order
   * of `leaving.events`; missing events count as lost
   */
  readonly uninstall = (teamId: string, leaving?: UninstallOptions): Promise<void> =>
    this.#deps.appEvents.uninstall(this.#find(teamId), leaving);

  /**
   * Adds an Enterprise organization with this many workspaces without the app. Ada of the first one is its admin.
   */
  readonly addOrganization = (
    size = 2,
  ): { readonly organization: Organization; readonly workspaces: readonly Workspace[] } => {
    const organization = this.#deps.workspaces.addOrganization(size);
    return { organization, workspaces: this.workspaces().filter((each) => each.organization === organization) };
  };

  #organization(id: string): Organization {
    const found = this.#deps.workspaces.organizations.find((each) => each.id === id);
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
    this.#deps.appEvents.uninstallOrganization(this.#organization(id));

  /** Adds the app to workspaces of an organization, or removes it. Resolves after the first delivery of the event. */
  readonly changeAccess = (id: string, teamIds: readonly string[], isGranted: boolean): Promise<void> =>
    this.#deps.appEvents.changeAccess(this.#organization(id), teamIds, isGranted);

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
    if (workspace) await setShared(workspace, channel, isShared, this.#deps);
  };

  /** Deletes a channel and its messages. Resolves after the delivery of the event. */
  readonly deleteChannel = async (channel: string): Promise<void> => {
    const workspace = this.#workspaceOf(channel);
    if (workspace) await deleteChannel(workspace, channel, this.#deps);
  };

  #workspaceOf(channel: string): Workspace | undefined {
    return this.workspaces().find(({ channels }) => channels.some(({ id }) => id === channel));
  }

  /** Sends any event of a workspace, such as `{ type: 'channel_shared', … }`. Resolves after the first attempt. */
  readonly sendEvent = (teamId: string, event: JsonRecord): Promise<void> =>
    this.#deps.appEvents.send(event, this.#find(teamId));

  /** The next calls of a method, of `response_url` or of `socket` (a connection's opening) fail; see faults.ts. */
  readonly fail = (target: string, fault: Fault, times = 1): void => this.#deps.faults.order(target, fault, times);

  /** Calls fail by a rule from now on, such as one in twenty, or those to one channel; null removes the rule. */
  readonly failWhen = (target: string, rule: FaultRule | null): void => this.#deps.faults.rule(target, rule);

  /**
   * Delivers by signed HTTP to this app from now on, after Slack's handshake. Null returns to Socket Mode.
   * @throws Error if the app fails the handshake
   */
  readonly useHttp = (app: HttpApp | null): Promise<void> => this.#deps.delivery.register(app);

  /**
   * Changes the next payload to the app: for a person of another workspace in a shared channel
   * (`user.team_id`, `event.user_team`), or for ids that do not belong together.
   */
  readonly tamper = (change: (payload: JsonRecord) => JsonRecord): void => this.#deps.delivery.tamper(change);

  readonly disconnectSockets = (reason: DisconnectReason): void => this.#deps.socketMode.disconnect(reason);

  readonly connectionCount = (): number => this.#deps.socketMode.connectionCount();

  /** Resolves when the app's connection reaches this state. */
  readonly whenConnected = async (isConnected = true): Promise<void> => {
    const { delivery } = this.#deps;
    if (delivery.isConnected() === isConnected) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = delivery.connection.on((now) => now === isConnected && resolve());
    await promise;
    stop();
  };

  readonly close = async (): Promise<void> => {
    this.#deps.appEvents.close();
    this.#deps.socketMode.close();
    this.#deps.delivery.close();
    await this.#ending.stop();
  };
}
