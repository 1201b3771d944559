/** A modal or a Home as the local Slack keeps it, and as apps get it. */
import type { KnownBlock, PlainTextElement } from '@slack/types';
import { interactiveElements, type State, stateValues } from '../interactions/elements.ts';
import type { Entered } from '../page/protocol.ts';
import type { Fields } from '../server/json.ts';
import type { Offers } from '../state/offers.ts';

/** What the app says of it. */
export type ViewContent = {
  readonly type: 'modal' | 'home';
  readonly blocks: readonly KnownBlock[];
  readonly title: PlainTextElement | null;
  readonly submit: PlainTextElement | null;
  readonly close: PlainTextElement | null;
  readonly privateMetadata: string;
  readonly callbackId: string;
  readonly externalId: string;
  /** Its close button closes those below it, too. */
  readonly clearsOnClose: boolean;
  readonly notifiesOnClose: boolean;
};

export type SlackView = ViewContent & {
  readonly id: string;
  /** Who alone sees it. */
  readonly userId: string;
  /** Another one after each change. */
  readonly hash: string;
  /** The lowest of the stack it is in: of a Home, and of a modal by itself, its own id. */
  readonly rootId: string;
  /** The one below. */
  readonly previousId: string | null;
  /** The conversation it was opened from. */
  readonly channelId: string | null;
  /** What the person has entered that the app has heard of. */
  readonly entered: Entered;
};

export function viewState(view: SlackView, offers: Offers): State {
  const { blocks, entered, channelId, id, userId } = view;
  const offered = (found: Parameters<Offers['find']>[2]) => offers.find(userId, id, found);
  return stateValues(interactiveElements(blocks), { entered, offered, channelId });
}

type Telling = {
  readonly appId: string;
  readonly workspace: { readonly teamId: string; readonly botId: string };
  readonly state: State;
};

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
export function viewForApps(view: SlackView, { appId, workspace, state }: Telling): Fields {
  return {
    id: view.id,
    team_id: workspace.teamId,
    type: view.type,
    blocks: view.blocks,
    private_metadata: view.privateMetadata,
    callback_id: view.callbackId,
    state: { values: state },
    hash: view.hash,
    ...(view.title && { title: view.title }),
    clear_on_close: view.clearsOnClose,
    notify_on_close: view.notifiesOnClose,
    close: view.close,
    submit: view.submit,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: appId,
    external_id: view.externalId,
    app_installed_team_id: workspace.teamId,
    bot_id: workspace.botId,
  };
}
