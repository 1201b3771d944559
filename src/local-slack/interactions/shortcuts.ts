/** Message shortcuts (`message_action`): a person picks one from a message's menu. */
import type { LocalSlack } from '../server/local-slack.ts';
import { Refused } from '../state/content.ts';
import { channelNameForApps } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import type { Invoked } from './block-actions.ts';
import { actorFields, findMessage, type OnMessage, sendInteraction } from './invoke.ts';

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
    trigger_id: slack.triggers.issue({ ...invocation, viewId: null }),
    response_url: responseUrl,
    channel: { id: channel.id, name: channelNameForApps(channel) },
    message_ts: message.ts,
    message: messageForApps(message, workspace, slack),
  };
  const { afterMs } = await sendInteraction(workspace, payload, slack);
  return { responseUrl, afterMs };
}
