/** What Slack says of the element of a message that a person works, whatever they do with it. */
import { type Found, interactiveElements } from './elements.ts';
import type { SlackMessage } from './history.ts';
import { findInvoker, type InvokeDeps, type Invoker } from './invoke.ts';
import type { Fields } from './json.ts';
import { messageForApps } from './web-api/method.ts';
import { channelNameForApps, isVisible } from './workspace.ts';

export type ElementAddress = {
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly actionId: string;
  /** Needed only where two blocks hold the same action id. */
  readonly blockId?: string;
};

export type Reached = {
  readonly invoker: Invoker;
  readonly message: SlackMessage;
  /** All that can be worked in this message. */
  readonly elements: readonly Found[];
  readonly found: Found;
};

/** @returns why not, where this person cannot reach the element */
export function reachElement(
  { user, channel, ts, actionId, blockId }: ElementAddress,
  deps: InvokeDeps,
): Reached | 'message_not_found' | 'no_such_element' {
  const invoker = findInvoker(deps.workspaces(), user, channel);
  const message = invoker?.workspace.history.find(channel, ts);
  if (!invoker || !message || !isVisible(message, user)) return 'message_not_found';
  const elements = interactiveElements(message.blocks);
  const found = elements.find((each) => {
    return each.element['action_id'] === actionId && (blockId === undefined || each.blockId === blockId);
  });
  return found ? { invoker, message, elements, found } : 'no_such_element';
}

/** Of an ephemeral message Slack sends no more than that it is one. */
export function interactionFields({ invoker, message }: Reached, deps: InvokeDeps): Fields {
  const { workspace, person, channel } = invoker;
  const thread = message.threadTs === null ? {} : { thread_ts: message.threadTs };
  const app = { appId: deps.app.id, baseUrl: deps.baseUrl() };
  return {
    user: { id: person.id, username: person.name, name: person.name, team_id: workspace.teamId },
    api_app_id: deps.app.id,
    token: deps.app.verificationToken,
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: message.isEphemeral,
      ...thread,
    },
    team: { id: workspace.teamId, domain: workspace.domain },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel.id, name: channelNameForApps(channel) },
    ...(message.isEphemeral ? {} : { message: messageForApps(message, workspace, app) }),
  };
}
