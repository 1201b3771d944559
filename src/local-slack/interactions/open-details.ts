/** A person opens the details of an expanded link, which sends `entity_details_requested`. */
import { findInvoker, type InteractionDeps } from './invoke.ts';

export type DetailsOpening = {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  /** As in the message. */
  readonly url: string;
};

/** @returns false if the person sees no such link with details */
export function openDetails({ user, channel, ts, url }: DetailsOpening, deps: InteractionDeps): boolean {
  const invoker = findInvoker(deps.workspaces.all, user, channel);
  const message = invoker?.workspace.history.find(channel, ts);
  const unfurl = message?.unfurls?.find((each) => each.url === url);
  if (!invoker || !message || !unfurl || unfurl.entityUrl === null) return false;
  const { workspace, person } = invoker;
  const trigger = { workspace, userId: person.id, channelId: channel, viewId: null };
  // https://docs.slack.dev/reference/events/entity_details_requested
  const event = {
    ...{ type: 'entity_details_requested', user: person.id, trigger_id: deps.triggers.issue(trigger) },
    ...{ link: { url, domain: new URL(url).hostname }, entity_url: unfurl.entityUrl, app_unfurl_url: url },
    ...{ user_locale: 'en-US', channel, message_ts: ts, event_ts: ts },
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
  };
  void deps.appEvents.send(event, workspace);
  return true;
}
