/** The public API of the local Slack: addresses and tokens for an app, and a driver for tests. */

import type { JsonRecord } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { UninstallOptions } from '../interactions/app-events.ts';
import type { ActionResult, ElementAction } from '../interactions/block-actions.ts';
import type { SuggestionQuery, SuggestResult } from '../interactions/block-suggestions.ts';
import type { CloseResult, ViewClosing } from '../interactions/close-view.ts';
import type { CommandResult, TypedMessage } from '../interactions/commands.ts';
import type { MessageDeletion } from '../interactions/messages.ts';
import type { DetailsOpening } from '../interactions/open-details.ts';
import type { HomeOpening } from '../interactions/open-home.ts';
import type { PickedShortcut, ShortcutResult } from '../interactions/shortcuts.ts';
import type { SubmitResult, ViewSubmission } from '../interactions/submit-view.ts';
import type { OAuthSettings } from '../oauth/oauth.ts';
import type { ConsentAnswer } from '../oauth/routes.ts';
import type { PageCommand } from '../page/protocol.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Tokens } from '../state/installation.ts';
import type { Organization } from '../state/organization.ts';
import type { SlackView } from '../state/view.ts';
import type { ChannelChange, PersonChange, Workspace } from '../state/workspace.ts';
import type { RecordedRequest } from './api-routes.ts';
import type { Fault, FaultRule } from './faults.ts';
import type { HttpApp } from './http-delivery.ts';
import type { DisconnectReason } from './socket.ts';
import type { MessageFilter, ViewFilter } from './wait-for.ts';

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

export type LocalSlack = {
  readonly url: string;
  /** A sentence for people if the storage file could not be read and was moved away; null otherwise. */
  readonly storageProblem: string | null;
  /** Value for `SLACK_API_URL`; ends with a slash. */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly workspace: Workspace;
  /** The app's OAuth credentials. */
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Adds a workspace with people and channels of the same names under other ids (see seed.ts: `personId('ada', 2)`).
   * @param scopes granted to the app there, with a separate token; all of the manifest by default, null if the app is
   *   not installed
   */
  readonly addWorkspace: (scopes?: readonly string[] | null) => Workspace;
  /**
   * Adds an Enterprise organization with this many workspaces (two by default) without the app. Ada of the first one is
   * its admin.
   */
  readonly addOrganization: (size?: number) => {
    readonly organization: Organization;
    readonly workspaces: readonly Workspace[];
  };
  /** Installs the app in a whole organization; no workspace has it before `changeAccess`. @returns its tokens */
  readonly installOrganization: (id: string, granted?: InstallOptions) => Tokens;
  /** Removes the app from an organization and its workspaces. Resolves after the first delivery of the event. */
  readonly uninstallOrganization: (id: string) => Promise<void>;
  /** Adds the app to workspaces of an organization, or removes it. Resolves after the first delivery of the event. */
  readonly changeAccess: (id: string, teamIds: readonly string[], isGranted: boolean) => Promise<void>;
  /**
   * Adds a person to a workspace that is not their home: a member within one organization, otherwise a person of another
   * company (Slack Connect), who acts in channels that `changeChannel` makes shared and adds them to.
   */
  readonly addPerson: (teamId: string, user: string) => void;
  /** All workspaces in the order of creation. */
  readonly workspaces: () => readonly Workspace[];
  /** The same local Slack with another workspace as the first. @throws Error for an unknown team */
  readonly useWorkspace: (teamId: string) => LocalSlack;
  /** Sets the app's OAuth settings; before that, no redirect URL is allowed. */
  readonly configureOAuth: (settings: OAuthSettings) => void;
  /**
   * A person answers the consent page. @param address of `/oauth/v2/authorize` with its query
   * @returns the redirect: with `code` and `state`, or with `error=access_denied`
   * @throws Error with Slack's error for an invalid request
   */
  readonly authorize: (
    address: string,
    by: Pick<ConsentAnswer, 'organization' | 'user'> & { readonly isAllowed?: boolean },
  ) => string;
  /** Installs the app, or installs it again, without a browser. @returns its new tokens @throws Error for an unknown team */
  readonly install: (teamId: string, granted?: InstallOptions) => Tokens;
  /**
   * Removes the app: revokes its tokens, then sends the events. Resolves after each was delivered once, in the order
   * of `leaving.events`; missing events count as lost
   */
  readonly uninstall: (teamId: string, leaving?: UninstallOptions) => Promise<void>;
  /** Sends any event of a workspace, such as `{ type: 'channel_shared', … }`. Resolves after the first attempt. */
  readonly sendEvent: (teamId: string, event: JsonRecord) => Promise<void>;
  /** Makes a member an admin, a guest, or neither, or deactivates them. */
  readonly changePerson: (user: string, change: PersonChange) => void;
  /** Shares a channel with another company, or stops. Resolves after the delivery of the event. */
  readonly shareChannel: (channel: string, isShared: boolean) => Promise<void>;
  /** Deletes a channel and its messages. Resolves after the delivery of the event. */
  readonly deleteChannel: (channel: string) => Promise<void>;
  /** Archives a channel, adds or removes a member (the bot too), or shares it without an event to the app. */
  readonly changeChannel: (channel: string, change: ChannelChange) => void;
  /** A person deletes a message: their own, or any as an admin. @returns true if it was deleted */
  readonly deleteMessage: (deleted: MessageDeletion) => boolean;
  /** A person types a slash command; resolves after its acknowledgement or failure. */
  readonly command: (typed: TypedMessage) => Promise<CommandResult>;
  /** A person posts a message; the app receives mentions and its direct messages. @returns undefined if the person cannot write there */
  readonly say: (typed: TypedMessage) => SlackMessage | undefined;
  /**
   * A person presses a button, or chooses the value in `selected`, in a message (`channel`, `ts`) or in a view (`view`,
   * its id). Resolves after the acknowledgement or failure.
   */
  readonly press: (worked: ElementAction) => Promise<ActionResult>;
  /** A person types into an `external_select`; the app's options can then be selected. */
  readonly suggest: (query: SuggestionQuery) => Promise<SuggestResult>;
  /** A person picks a shortcut from a message's menu; resolves after its acknowledgement or failure. */
  readonly shortcut: (picked: PickedShortcut) => Promise<ShortcutResult>;
  /** A person opens the details of an expanded link. @returns false if there is none */
  readonly openDetails: (opening: DetailsOpening) => boolean;
  /**
   * A person submits a modal; resolves after the app's reply. With errors the modal stays; otherwise it is closed,
   * replaced, or covered by another one.
   */
  readonly submit: (submitted: ViewSubmission) => Promise<SubmitResult>;
  /** A person closes a modal, or the whole stack; resolves after the delivery of each requested `view_closed`. */
  readonly closeView: (closed: ViewClosing) => Promise<CloseResult>;
  /** The modals of a person, the lowest first. */
  readonly modals: (user: string) => readonly SlackView[];
  /** A person opens the app in the sidebar, on its Home or its messages, which sends `app_home_opened`. @returns false for an unknown person or tab */
  readonly openHome: (opened: HomeOpening) => boolean;
  /** A person's Home; undefined before the app publishes one. */
  readonly home: (user: string) => SlackView | undefined;
  /** The next modal or Home shown or changed from now on that fits. @throws Error after a minute */
  readonly nextView: (filter?: ViewFilter) => Promise<SlackView>;
  /** The messages that a person sees in a channel, oldest first. */
  readonly messages: (at: { readonly channel: string; readonly viewer: string }) => readonly SlackMessage[];
  /** The next message posted or changed from now on that fits. @throws Error after a minute */
  readonly nextMessage: (filter?: MessageFilter) => Promise<SlackMessage>;
  /** The next calls of a method, of `response_url` or of `socket` (a connection's opening) fail; see faults.ts. */
  readonly fail: (target: string, fault: Fault, times?: number) => void;
  /** Calls fail by a rule from now on, such as one in twenty, or those to one channel; null removes the rule. */
  readonly failWhen: (target: string, rule: FaultRule | null) => void;
  /**
   * Delivers by signed HTTP to this app from now on, after Slack's handshake. Null returns to Socket Mode.
   * @throws Error if the app fails the handshake
   */
  readonly useHttp: (app: HttpApp | null) => Promise<void>;
  /**
   * Changes the next payload to the app: for a person of another workspace in a shared channel
   * (`user.team_id`, `event.user_team`), or for ids that do not belong together.
   */
  readonly tamper: (change: (payload: JsonRecord) => JsonRecord) => void;
  readonly disconnectSockets: (reason: DisconnectReason) => void;
  readonly connectionCount: () => number;
  /** Resolves when the app's connection reaches this state. */
  readonly whenConnected: (isConnected?: boolean) => Promise<void>;
  /** The recorded calls of the app, oldest first. */
  readonly requests: readonly RecordedRequest[];
  readonly close: () => Promise<void>;
};
