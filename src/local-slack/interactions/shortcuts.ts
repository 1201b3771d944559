/** Message shortcuts (`message_action`): a person picks one from a message's menu. */
import { Refused } from '../state/content.ts';
import { channelNameForApps } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import type { Invoked } from './block-actions.ts';
import { actorFields, findMessage, type InteractionDeps, type OnMessage, sendInteraction } from './invoke.ts';

type Shortcut = {
  /** The label in the menu. */
  readonly name: string;
  readonly callbackId: string;
};

export type PickedShortcut = OnMessage & { readonly callbackId: string };

/** The shortcuts of the manifest. */
export const messageShortcuts: readonly Shortcut[] = [{ name: 'Explain this failure', callbackId: 'explain_failure' }];

/** Resolves after the acknowledgement, which shows nothing by itself. */
export async function runShortcut(picked: PickedShortcut, deps: InteractionDeps): Promise<Invoked> {
  const located = findMessage(picked, deps);
  // In Slack, ephemeral messages have no shortcuts.
  if (!located || located.message.isEphemeral) throw new Refused('message_not_found');
  if (!messageShortcuts.some(({ callbackId }) => callbackId === picked.callbackId)) {
    throw new Refused('no_such_shortcut');
  }
  const { workspace, person, channel, message } = located;
  const invocation = { workspace, userId: person.id, channelId: channel.id, originalTs: null };
  const responseUrl = deps.baseUrl + deps.responseUrls.issue({ ...invocation, kind: 'app' });
  const payload = {
    type: 'message_action',
    ...actorFields(located, deps),
    callback_id: picked.callbackId,
    action_ts: (deps.clock() / 1000).toFixed(6),
    trigger_id: deps.triggers.issue({ ...invocation, viewId: null }),
    response_url: responseUrl,
    channel: { id: channel.id, name: channelNameForApps(channel) },
    message_ts: message.ts,
    message: messageForApps(message, workspace, deps),
  };
  const { afterMs } = await sendInteraction(workspace, payload, deps);
  return { responseUrl, afterMs };
}
