/**
 * The protocol between the page and its server, as JSON over the page's own origin. server/page/assets.ts serves the page's
 * files: at `/`, at `/assets/…`, and the page itself at every `/archives/…`, a message's permalink.
 */
import type { KnownBlock, PlainTextElement, PlainTextOption } from '@slack/types';

/** Slackbot's user id. */
export const slackbotId = 'USLACKBOT';

export type PageUser = {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isAdmin: boolean;
  /** A guest in several channels, or in one; null for a member. */
  readonly guest: 'multi_channel' | 'single_channel' | null;
  readonly isBot: boolean;
  /** True for a person of another company (Slack Connect), who sees shared channels only. */
  readonly isExternal: boolean;
  readonly timeZone: string;
};

export type PageChannel = {
  readonly id: string;
  readonly name: string;
  readonly kind: 'public' | 'private' | 'dm';
  readonly memberIds: readonly string[];
  readonly isArchived: boolean;
  /** True if the channel is shared with another company (Slack Connect). */
  readonly isShared: boolean;
};

/** A command of the app with lines to try. */
export type PageCommand = { readonly name: string; readonly examples: readonly string[] };

export type PageWorkspace = {
  readonly id: string;
  readonly name: string;
  /** True for a workspace of an Enterprise organization. */
  readonly isOnGrid: boolean;
  /** True if the app is installed. */
  readonly isInstalled: boolean;
  /** True if its organization has the app, which an admin of the organization can add here. */
  readonly isOffered: boolean;
};

/** The state of the open workspace. */
export type PageState = {
  readonly workspace: PageWorkspace;
  /** All workspaces. */
  readonly workspaces: readonly PageWorkspace[];
  readonly app: {
    readonly name: string;
    readonly botUserId: string;
    readonly slashCommand: string;
    readonly isConnected: boolean;
    /** True if the app has a Home tab. */
    readonly hasHome: boolean;
    /** The app's page where an installation begins; null for none. */
    readonly installUrl: string | null;
    /** Message shortcuts. */
    readonly shortcuts: readonly { readonly name: string; readonly callbackId: string }[];
  };
  /** With the bot, also after the app was removed: its messages remain. */
  readonly users: readonly PageUser[];
  readonly channels: readonly PageChannel[];
  readonly commands: readonly PageCommand[];
};

export type PageMessage = {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  /** Author: a user's id (the bot's included) or `slackbotId`. */
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  readonly files: readonly PageSharedFile[];
  /** Previews of its links; none if left out. */
  readonly unfurls?: readonly PageUnfurl[];
  /** True if only one person sees the message. */
  readonly isEphemeral: boolean;
  readonly isEdited: boolean;
};

/** An app's preview of a link in a message. */
export type PageUnfurl = {
  readonly url: string;
  readonly blocks: readonly KnownBlock[];
  /** Address of the Work Object, whose details a person can open; null for a preview of blocks alone. */
  readonly entityUrl: string | null;
};

/** A file shared in a message. */
export type PageSharedFile = {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly bytes: number;
  readonly mimeType: string;
  /** Detected from the bytes; the page loads only images. */
  readonly kind: 'image' | 'text' | 'other';
  /** Alternative text; may be empty. */
  readonly altText: string;
  /** The first lines of a text. */
  readonly head: string;
  readonly lineCount: number;
  /** Address on the page's own origin. */
  readonly url: string;
  readonly downloadUrl: string;
};

/** A modal or a Home, as the person sees it. */
export type PageView = {
  readonly id: string;
  readonly title: PlainTextElement | null;
  readonly submit: PlainTextElement | null;
  readonly close: PlainTextElement | null;
  readonly blocks: readonly KnownBlock[];
  /** Slack's `state.values`, by block id and action id. */
  readonly state: Readonly<Record<string, Readonly<Record<string, ElementState>>>>;
};

/** For example `{ type: 'users_select', selected_user: 'U…' }`. */
export type ElementState = Readonly<Record<string, unknown>>;

/** A text, an option's value, an id, a date or a time; a list in a multi-select; null if nothing is chosen. */
export type ElementValue = string | readonly string[] | null;

/** Values by block id, then by action id. */
export type InputValues = Readonly<Record<string, Readonly<Record<string, ElementValue>>>>;

/**
 * `GET /page/events?team=T…&user=U…&channel=C…`: a stream of server-sent events, each `data:` one of these. It begins with the
 * state of this workspace, of the channel's, or of the first one, then the channel's messages and the person's views; changes
 * follow. Without a person it has the state alone. `&since=…`, the `id:` of the last event of an earlier stream, adds the
 * messages that were posted in between, in any channel.
 */
export type PageEvent =
  | { readonly type: 'state'; readonly state: PageState }
  /** All messages of the channel that this person may see, oldest first. */
  | { readonly type: 'messages'; readonly channel: string; readonly messages: readonly PageMessage[] }
  | { readonly type: 'message'; readonly message: PageMessage }
  | { readonly type: 'removed'; readonly channel: string; readonly ts: string }
  /** All open modals of this person, the lowest first. */
  | { readonly type: 'modals'; readonly views: readonly PageView[]; readonly lastActedIn: string }
  /** This person's Home; null before the app publishes one. */
  | { readonly type: 'home'; readonly view: PageView | null };

type ByUser = { readonly user: string };
type InChannel = ByUser & { readonly channel: string };
type OnMessage = InChannel & { readonly ts: string };
/** An element of a message, or of a view with the entered values. */
type OnElement = ByUser & { readonly blockId: string; readonly actionId: string } & (
    | { readonly channel: string; readonly ts: string }
    | { readonly view: string; readonly values: InputValues }
  );

/** The open tab of the app: Home or direct messages. */
export type AppTab = 'home' | 'messages';

/** Bodies of the requests `POST /page/<name>`. */
export type PageRequests = {
  /** Typed text; text that begins with `/` is a slash command. */
  readonly send: InChannel & { readonly threadTs: string | null; readonly text: string };
  /** A pressed button or a chosen option, with Slack's names. */
  readonly action: OnElement & { readonly selected: ElementValue };
  /** Typed text in an external select. */
  readonly suggest: OnElement & { readonly value: string };
  /** One of the app's shortcuts, from the menu of a message. */
  readonly shortcut: OnMessage & { readonly callbackId: string };
  /** A message deleted by its author or an admin. */
  readonly delete: OnMessage;
  /** The details of an expanded link. */
  readonly details: OnMessage & { readonly url: string };
  /** A modal with the entered values. */
  readonly submit: ByUser & { readonly view: string; readonly values: InputValues };
  /** A closed modal; `isWhole` for all that are open. */
  readonly close: ByUser & { readonly view: string; readonly isWhole: boolean };
  /** The app opened in the sidebar. */
  readonly home: ByUser & { readonly tab: AppTab };
  /** Adds a workspace. */
  readonly workspace: object;
  /** Adds an organization with two workspaces. */
  readonly organization: object;
  /** The app added to a workspace by its organization. */
  readonly access: { readonly team: string };
  /** The app removed from a workspace. */
  readonly uninstall: { readonly team: string };
};

/** Reply of `POST /page/suggest`. */
export type PageSuggestions =
  | { readonly ok: true; readonly options: readonly PlainTextOption[] }
  | { readonly ok: false; readonly error: string };

/** Reply of the other POSTs. The page shows `error` to the person. */
export type PageResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly error: string;
      /** Errors of the inputs of a submission, by block id. */
      readonly errors?: Readonly<Record<string, string>>;
    };
