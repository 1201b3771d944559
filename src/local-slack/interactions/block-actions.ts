/** `block_actions`: sends pressed buttons and selected options, from messages and from views. */

import { type JsonRecord, readText } from '../../shared/json.ts';
import { type ElementValue, slackbotId } from '../page/protocol.ts';
import { deliveryError } from '../server/delivery.ts';
import { addMember } from './channels.ts';
import { actionFields, stateValues } from './elements.ts';
import { type InteractionDeps, sendInteraction } from './invoke.ts';
import {
  type ElementAddress,
  interactionFields,
  type LocatedElement,
  type LocateError,
  locateElement,
} from './locate-element.ts';
import { enterValues } from './own-view.ts';

export type ElementAction = ElementAddress & {
  /** The chosen value of a menu, boxes or an input; a list in a multi-select. */
  readonly selected?: ElementValue;
};

export type ActionResult =
  | {
      readonly ok: true;
      /** Empty for an element of a view: Slack sends none there. */
      readonly responseUrl: string;
      readonly afterMs: number;
    }
  | { readonly ok: false; readonly error: 'operation_timeout' | 'dispatch_failed' | LocateError };

export async function performAction(worked: ElementAction, deps: InteractionDeps): Promise<ActionResult> {
  const located = locateElement(worked, deps);
  if (typeof located === 'string') return { ok: false, error: located };
  if (pressedInvite(located)) return { ok: true, responseUrl: '', afterMs: 0 };
  const { found, workspace, person, surfaceKey } = located;
  const selected = worked.selected ?? null;
  const action = actionFields(found.element, selected, deps.offeredOptions.find(person.id, surfaceKey, found));
  if (!action) return { ok: false, error: 'no_such_element' };
  const after = entered(located, selected, deps);
  const { surface } = after;
  const channelId = surface.kind === 'view' ? surface.view.channelId : surface.channel.id;
  const viewId = surface.kind === 'view' ? surface.view.id : null;
  const inMessage = messageFields(after, selected, deps);
  const acknowledgement = await sendInteraction(
    workspace,
    {
      type: 'block_actions',
      ...interactionFields(after, deps),
      trigger_id: deps.triggers.issue({ workspace, userId: person.id, channelId, viewId }),
      ...inMessage,
      actions: [{ ...action, block_id: found.blockId, action_ts: actionTs(deps) }],
    },
    deps,
  );
  if (acknowledgement.kind !== 'acknowledged') return { ok: false, error: deliveryError(acknowledgement) };
  const responseUrl = readText(inMessage, 'response_url') ?? '';
  return { ok: true, responseUrl, afterMs: acknowledgement.afterMs };
}

/** Slackbot's own button invites the bot; the app hears nothing of the press. @returns false for another element */
function pressedInvite({ surface, workspace, person }: LocatedElement): boolean {
  if (surface.kind !== 'message' || surface.message.user !== slackbotId) return false;
  const { channel, message } = surface;
  workspace.history.remove(message);
  addMember(workspace.botUserId, { workspace, person, channel });
  return true;
}

/** Keeps the selected value in the view until it is submitted. */
function entered(located: LocatedElement, selected: ElementValue, deps: InteractionDeps): LocatedElement {
  const { surface, found, workspace, person } = located;
  if (surface.kind === 'message') return located;
  const values = { [found.blockId]: { [String(found.element['action_id'])]: selected } };
  const view = enterValues({ workspace, person, view: surface.view }, values, deps);
  return view ? { ...located, surface: { kind: 'view', view } } : located;
}

/** A view carries its own state and has no response_url. */
function messageFields(
  { surface, found, elements, workspace, person, surfaceKey }: LocatedElement,
  selected: ElementValue,
  deps: InteractionDeps,
): JsonRecord {
  if (surface.kind === 'view') return {};
  const offered = (each: typeof found) => deps.offeredOptions.find(person.id, surfaceKey, each);
  const worked = selected === null ? {} : { [found.blockId]: { [String(found.element['action_id'])]: selected } };
  const { channel, message } = surface;
  const responsePath = deps.responseUrls.issue({
    workspace,
    userId: person.id,
    channelId: channel.id,
    kind: 'actions',
    originalTs: message.ts,
  });
  return {
    state: { values: stateValues(elements, { entered: worked, offered, channelId: channel.id }) },
    response_url: deps.baseUrl() + responsePath,
  };
}

function actionTs({ clock }: InteractionDeps): string {
  return (clock() / 1000).toFixed(6);
}
