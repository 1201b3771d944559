/** Message shortcuts (`message_action`): a person picks one from a message's menu. */
import { deliveryError } from '../server/delivery.ts';
import { channelNameForApps, isVisible } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import { actorFields, findInvoker, type InteractionDeps, sendInteraction } from './invoke.ts';

type Shortcut = {
  /** The label in the menu. */
  readonly name: string;
  readonly callbackId: string;
};

export type PickedShortcut = {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly callbackId: string;
};

export type ShortcutResult =
  | { readonly ok: true; readonly responseUrl: string; readonly afterMs: number }
  | {
      readonly ok: false;
      readonly error: 'operation_timeout' | 'dispatch_failed' | 'message_not_found' | 'no_such_shortcut';
    };

/** The shortcuts of the manifest. */
export const messageShortcuts: readonly Shortcut[] = [{ name: 'Explain this failure', callbackId: 'explain_failure' }];

/** Resolves after the acknowledgement, which shows nothing by itself. */
export async function runShortcut(picked: PickedShortcut, deps: InteractionDeps): Promise<ShortcutResult> {
  const invoker = findInvoker(deps.workspaces.all, picked.user, picked.channel);
  const message = invoker?.workspace.history.find(picked.channel, picked.ts);
  // In Slack, ephemeral messages have no shortcuts.
  if (!invoker || !message || message.isEphemeral || !isVisible(message, picked.user)) {
    return { ok: false, error: 'message_not_found' };
  }
  if (!messageShortcuts.some(({ callbackId }) => callbackId === picked.callbackId)) {
    return { ok: false, error: 'no_such_shortcut' };
  }
  const { workspace, person, channel } = invoker;
  const invocation = { workspace, userId: person.id, channelId: channel.id, originalTs: null };
  const responseUrl = deps.baseUrl() + deps.responseUrls.issue({ ...invocation, kind: 'app' });
  const acknowledgement = await sendInteraction(
    workspace,
    {
      type: 'message_action',
      ...actorFields(invoker, deps),
      callback_id: picked.callbackId,
      action_ts: (deps.clock() / 1000).toFixed(6),
      trigger_id: deps.triggers.issue({ ...invocation, viewId: null }),
      response_url: responseUrl,
      channel: { id: channel.id, name: channelNameForApps(channel) },
      message_ts: message.ts,
      message: messageForApps(message, workspace, { appId: deps.app.id, baseUrl: deps.baseUrl() }),
    },
    deps,
  );
  if (acknowledgement.kind !== 'acknowledged') return { ok: false, error: deliveryError(acknowledgement) };
  return { ok: true, responseUrl, afterMs: acknowledgement.afterMs };
}
