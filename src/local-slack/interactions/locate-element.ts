/** Locates the element that a person acts on, and builds the payload fields that describe it. */

import type { JsonRecord } from '../../shared/json.ts';
import type { InputValues } from '../page/protocol.ts';
import type { SlackMessage } from '../state/history.ts';
import type { Channel } from '../state/seed.ts';
import { type SlackView, viewForApps, viewState } from '../state/view.ts';
import { channelNameForApps, isVisible } from '../state/workspace.ts';
import { messageForApps } from '../web-api/method.ts';
import { type InteractiveElement, interactiveElements } from './elements.ts';
import { actorFields, findInvoker, type InteractionDeps, type Invoker } from './invoke.ts';
import { enterValues, findOwnView } from './own-view.ts';

type Element = {
  readonly user: string;
  readonly actionId: string;
  /** Needed only if two blocks have the same action id. */
  readonly blockId?: string;
};

type MessageElement = Element & { readonly channel: string; readonly ts: string };

type ViewElement = Element & {
  /** The id of a modal or a Home. */
  readonly view: string;
  /** Values entered in it meanwhile. */
  readonly values?: InputValues;
};

export type ElementAddress = MessageElement | ViewElement;

type Surface =
  | { readonly kind: 'message'; readonly message: SlackMessage; readonly channel: Channel }
  | { readonly kind: 'view'; readonly view: SlackView };

export type LocatedElement = Pick<Invoker, 'workspace' | 'person'> & {
  readonly surface: Surface;
  /** Key of the message or the view. */
  readonly surfaceKey: string;
  /** All interactive elements there. */
  readonly elements: readonly InteractiveElement[];
  readonly found: InteractiveElement;
};

export type LocateError = 'message_not_found' | 'view_not_found' | 'no_such_element';

/** @returns an error if this person cannot reach the element */
export function locateElement(address: ElementAddress, deps: InteractionDeps): LocatedElement | LocateError {
  const located = 'view' in address ? locateInView(address, deps) : locateInMessage(address, deps);
  if (typeof located === 'string') return located;
  const { actionId, blockId } = address;
  const elements = interactiveElements(located.blocks);
  const found = elements.find((each) => {
    return each.element['action_id'] === actionId && (blockId === undefined || each.blockId === blockId);
  });
  return found ? { ...located, elements, found } : 'no_such_element';
}

function locateInMessage({ user, channel, ts }: MessageElement, deps: InteractionDeps) {
  const invoker = findInvoker(deps.workspaces.all, user, channel);
  const message = invoker?.workspace.history.find(channel, ts);
  if (!invoker || !message || !isVisible(message, user)) return 'message_not_found';
  const surface: Surface = { kind: 'message', message, channel: invoker.channel };
  return { ...invoker, surface, surfaceKey: `${channel}/${ts}`, blocks: message.blocks };
}

function locateInView({ user, view: id, values = {} }: ViewElement, deps: InteractionDeps) {
  const own = findOwnView(user, id, deps);
  if (!own) return 'view_not_found';
  const view = enterValues(own, values, deps);
  if (!view) return 'no_such_element';
  const surface: Surface = { kind: 'view', view };
  return { ...own, surface, surfaceKey: id, blocks: view.blocks };
}

export function interactionFields(located: LocatedElement, deps: InteractionDeps): JsonRecord {
  const { surface } = located;
  const where =
    surface.kind === 'view' ? viewFields(surface.view, located, deps) : messageFields(surface, located, deps);
  return { ...actorFields(located, deps), ...where };
}

function viewFields(
  view: SlackView,
  { workspace }: LocatedElement,
  { app, offeredOptions }: InteractionDeps,
): JsonRecord {
  const state = viewState(view, offeredOptions);
  return {
    container: { type: 'view', view_id: view.id },
    view: viewForApps(view, { appId: app.id, workspace, state }),
  };
}

type MessageSurface = Surface & { readonly kind: 'message' };

/** For an ephemeral message Slack omits the message itself. */
function messageFields(
  { message, channel }: MessageSurface,
  { workspace }: LocatedElement,
  deps: InteractionDeps,
): JsonRecord {
  const thread = message.threadTs === null ? {} : { thread_ts: message.threadTs };
  const app = { appId: deps.app.id, baseUrl: deps.baseUrl() };
  return {
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: message.isEphemeral,
      ...thread,
    },
    channel: { id: channel.id, name: channelNameForApps(channel) },
    ...(message.isEphemeral ? {} : { message: messageForApps(message, workspace, app) }),
  };
}
