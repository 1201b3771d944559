/** A person's own view and the values that they enter in it. */

import type { ElementValue, InputValues } from '../page/protocol.ts';
import type { Person } from '../state/seed.ts';
import type { SlackView } from '../state/view.ts';
import type { Workspace } from '../state/workspace.ts';
import { interactiveElements, selectedState } from './elements.ts';
import { findActors, type InteractionDeps } from './invoke.ts';

export type OwnView = { readonly workspace: Workspace; readonly person: Person; readonly view: SlackView };

/** @returns undefined for a closed view or the view of another person */
export function findOwnView(user: string, id: string, { workspaces }: Pick<InteractionDeps, 'workspaces'>) {
  for (const actor of findActors(workspaces.all, user)) {
    const view = actor.workspace.views.find(id);
    if (view?.userId === user) return { ...actor, view };
  }
  return undefined;
}

/** @returns the view with the values; undefined, and changes nothing, if one of them is invalid */
export function enterValues(own: OwnView, values: InputValues, deps: OptionsDeps): SlackView | undefined {
  const isWhole = entries(values).every((entry) => canEnter(own.view, entry, deps));
  return isWhole ? own.workspace.views.enter(own.view, values) : undefined;
}

/** @returns only valid values: an update may have removed an option that the page still shows as selected */
export function enterable(view: SlackView, values: InputValues, deps: OptionsDeps): InputValues {
  const accepted = entries(values).filter((entry) => canEnter(view, entry, deps));
  const blocks = Object.groupBy(accepted, ({ blockId }) => blockId);
  return Object.fromEntries(
    Object.entries(blocks).map(([blockId, block = []]) => [
      blockId,
      Object.fromEntries(block.map(({ actionId, chosen }) => [actionId, chosen])),
    ]),
  );
}

type OptionsDeps = Pick<InteractionDeps, 'offeredOptions'>;
type Entry = { readonly blockId: string; readonly actionId: string; readonly chosen: ElementValue };

function entries(values: InputValues): readonly Entry[] {
  return Object.entries(values).flatMap(([blockId, block]) =>
    Object.entries(block).map(([actionId, chosen]) => ({ blockId, actionId, chosen })),
  );
}

function canEnter(view: SlackView, { blockId, actionId, chosen }: Entry, { offeredOptions }: OptionsDeps): boolean {
  const found = interactiveElements(view.blocks).find((each) => {
    return each.blockId === blockId && each.element['action_id'] === actionId;
  });
  if (!found) return false;
  return selectedState(found.element, chosen, offeredOptions.find(view.userId, view.id, found)) !== undefined;
}
