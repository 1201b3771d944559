/** A person opens the app's Home (`app_home_opened`), or the details of an expanded link (`entity_details_requested`). */
import type { AppTab } from '../page/protocol.ts';
import type { LocalSlack } from '../server/local-slack.ts';
import { viewForApps, viewState } from '../state/view.ts';
import { directChannel } from '../web-api/method.ts';
import { findActor, findActors, findMessage, type OnMessage } from './invoke.ts';

export type HomeOpening = {
  readonly user: string;
  /** The open tab; Home if left out. */
  readonly tab?: AppTab;
  /** The workspace in which it is opened; the person's home by default. */
  readonly team?: string;
};

/** Does not wait for the app. @returns false for an unknown person or tab */
export function openHome({ user, tab = 'home', team }: HomeOpening, slack: LocalSlack): boolean {
  const { all } = slack.workspaces;
  const isThere = findActors(all, user).find(({ workspace }) => workspace.teamId === team);
  const actor = team === undefined ? findActor(all, user) : isThere;
  const channel = actor && directChannel(actor.workspace, user);
  if (!channel || (tab === 'home' && !slack.app.hasHome)) return false;
  const { workspace } = actor;
  const home = tab === 'home' ? workspace.views.home(user) : undefined;
  const event = {
    ...{ type: 'app_home_opened', user, channel: channel.id, tab, event_ts: (slack.clock() / 1000).toFixed(6) },
    // No view until the app publishes the first one.
    ...(home && { view: viewForApps(home, workspace, slack.app.id, viewState(home, slack.offeredOptions)) }),
  };
  void slack.appEvents.send(event, workspace);
  return true;
}

/** The address is as in the message. */
export type DetailsOpening = OnMessage & { readonly url: string };

/** @returns false if the person sees no such link with details */
export function openDetails({ url, ...place }: DetailsOpening, slack: LocalSlack): boolean {
  const located = findMessage(place, slack);
  const unfurl = located?.message.unfurls?.find((each) => each.url === url);
  if (!located || !unfurl || unfurl.entityUrl === null) return false;
  const { workspace, person, channel, message } = located;
  const trigger = { workspace, userId: person.id };
  // https://docs.slack.dev/reference/events/entity_details_requested
  const event = {
    ...{ type: 'entity_details_requested', user: person.id, trigger_id: slack.triggers.issue(trigger) },
    ...{ link: { url, domain: new URL(url).hostname }, entity_url: unfurl.entityUrl, app_unfurl_url: url },
    ...{ user_locale: 'en-US', channel: channel.id, message_ts: message.ts, event_ts: message.ts },
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
  };
  void slack.appEvents.send(event, workspace);
  return true;
}
