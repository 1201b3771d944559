/** Messages that people post and delete themselves, and the app's shortcuts in their menus (`message_action`). */
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import type { SlackMessage } from '../state/history.ts';
import { channelNameForApps } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import { mentions } from './app-events.ts';
import type { Invoked } from './block-actions.ts';
import { postAsSlackbot, type TypedMessage } from './commands.ts';
import { escapeText, urlsIn } from './escape-text.ts';
import { actorFields, findInvoker, findMessage, type Invoker, type OnMessage, sendInteraction } from './invoke.ts';

/** @returns undefined for an empty text, a channel that the person cannot write in, or a missing thread */
export function postUserMessage(typed: TypedMessage, slack: LocalSlack): SlackMessage | undefined {
  const invoker = findInvoker(slack.workspaces.all, typed.user, typed.channel);
  if (!invoker) return undefined;
  const { workspace, person, channel } = invoker;
  const text = escapeText(typed.text.trim(), workspace, 'message');
  const root = typed.threadTs ? workspace.history.threadRoot(channel.id, typed.threadTs) : null;
  if (text === '' || root === undefined || !invoker.isMember || channel.isArchived) return undefined;
  const message = workspace.history.post({ channel: channel.id, threadTs: root, user: person.id, text });
  warnOfAbsence(message, invoker, slack.app.name);
  slack.appEvents.sendMessageEvent(message, workspace);
  sendLinks(message, invoker, slack);
  return message;
}

/** https://docs.slack.dev/reference/events/link_shared: in any conversation, with the bot or without. */
function sendLinks({ text, ts, threadTs }: SlackMessage, invoker: Invoker, { app, appEvents }: LocalSlack): void {
  const { workspace, person, channel } = invoker;
  const links = urlsIn(text).flatMap((url) => {
    const { hostname = '' } = URL.parse(url) ?? {};
    const domain = app.unfurlDomains.find((each) => hostname === each || hostname.endsWith(`.${each}`));
    return domain === undefined ? [] : [{ url, domain }];
  });
  if (links.length === 0 || !workspace.scopes.includes('links:read')) return;
  const thread = threadTs === null ? {} : { thread_ts: threadTs };
  const place = { user: person.id, channel: channel.id, message_ts: ts, event_ts: ts, ...thread };
  const isMember = channel.memberIds.includes(workspace.botUserId);
  const source = { source: 'conversations_history', unfurl_id: `${channel.id}.${ts}`, is_bot_user_member: isMember };
  void appEvents.send({ type: 'link_shared', ...place, ...source, links }, workspace);
}

/** Warns, as Slack does, that a mentioned app is not in the channel. */
function warnOfAbsence({ text, threadTs }: SlackMessage, invoker: Invoker, appName: string): void {
  const { channel, workspace } = invoker;
  if (channel.memberIds.includes(workspace.botUserId) || !mentions(text, workspace.botUserId)) return;
  const notice = `You mentioned ${appName}, but it is not in this channel and does not hear you.`;
  postAsSlackbot(invoker, `${notice} Type /invite @${appName} to add it.`, threadTs);
}

/** @returns true if the message was deleted */
export function deleteMessage(place: OnMessage, slack: LocalSlack): boolean {
  const located = findMessage(place, slack);
  if (!located || located.message.isEphemeral) return false;
  const { message, person, workspace } = located;
  if (message.user !== person.id && !person.isAdmin) return false;
  workspace.history.remove(message);
  return true;
}

type Shortcut = {
  /** The label in the menu. */
  readonly name: string;
  readonly callbackId: string;
};

export type PickedShortcut = OnMessage & { readonly callbackId: string };

/** The shortcuts of the manifest. */
export const messageShortcuts: readonly Shortcut[] = [{ name: 'Explain this failure', callbackId: 'explain_failure' }];

/** Resolves after the acknowledgement, which shows nothing by itself. */
export async function runShortcut(picked: PickedShortcut, slack: LocalSlack): Promise<Invoked> {
  const located = findMessage(picked, slack);
  // In Slack, ephemeral messages have no shortcuts.
  if (!located || located.message.isEphemeral) throw new Refused('message_not_found');
  if (!messageShortcuts.some(({ callbackId }) => callbackId === picked.callbackId)) {
    throw new Refused('no_such_shortcut');
  }
  const { workspace, person, channel, message } = located;
  const invocation = { workspace, userId: person.id, channelId: channel.id, originalTs: null };
  const responseUrl = slack.responseUrls.issue({ ...invocation, kind: 'app' });
  const payload = {
    type: 'message_action',
    ...actorFields(located, slack),
    callback_id: picked.callbackId,
    action_ts: (slack.clock() / 1000).toFixed(6),
    trigger_id: slack.triggers.issue({ workspace, userId: person.id }),
    response_url: responseUrl,
    channel: { id: channel.id, name: channelNameForApps(channel) },
    message_ts: message.ts,
    message: messageForApps(message, workspace, slack),
  };
  const { afterMs } = await sendInteraction(workspace, payload, slack);
  return { responseUrl, afterMs };
}
