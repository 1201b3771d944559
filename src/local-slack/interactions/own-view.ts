/** A person's own view, and what they enter in it. */

import type { Chosen, Entered } from '../page/protocol.ts';
import type { Person } from '../state/seed.ts';
import type { SlackView } from '../state/view.ts';
import type { Workspace } from '../state/workspace.ts';
import { chosenState, interactiveElements } from './elements.ts';
import { findActor, type InvokeDeps } from './invoke.ts';

export type OwnView = { readonly workspace: Workspace; readonly person: Person; readonly view: SlackView };

/** @returns undefined where the view is gone, or somebody else's */
export function findOwnView(user: string, id: string, { workspaces }: Pick<InvokeDeps, 'workspaces'>) {
  const actor = findActor(workspaces(), user);
  const view = actor?.workspace.views.find(id);
  return actor && view?.userId === user ? { ...actor, view } : undefined;
}

/** @returns the view with the values in it; undefined, and changes nothing, where one of them cannot be entered */
export function enterValues(own: OwnView, values: Entered, deps: OffersDeps): SlackView | undefined {
  const isWhole = entries(values).every((entry) => canEnter(own.view, entry, deps));
  return isWhole ? own.workspace.views.enter(own.view, values) : undefined;
}

/** @returns only what can be entered: an update may have taken an option away that stands chosen in a page */
export function enterable(view: SlackView, values: Entered, deps: OffersDeps): Entered {
  const kept = entries(values).filter((entry) => canEnter(view, entry, deps));
  const blocks = Object.groupBy(kept, ({ blockId }) => blockId);
  return Object.fromEntries(
    Object.entries(blocks).map(([blockId, block = []]) => [
      blockId,
      Object.fromEntries(block.map(({ actionId, chosen }) => [actionId, chosen])),
    ]),
  );
}

type OffersDeps = Pick<InvokeDeps, 'offers'>;
type Entry = { readonly blockId: string; readonly actionId: string; readonly chosen: Chosen };

function entries(values: Entered): readonly Entry[] {
  return Object.entries(values).flatMap(([blockId, block]) =>
    Object.entries(block).map(([actionId, chosen]) => ({ blockId, actionId, chosen })),
  );
}

function canEnter(view: SlackView, { blockId, actionId, chosen }: Entry, { offers }: OffersDeps): boolean {
  const found = interactiveElements(view.blocks).find((each) => {
    return each.blockId === blockId && each.element['action_id'] === actionId;
  });
  if (!found) return false;
  return chosenState(found.element, chosen, offers.find(view.userId, view.id, found)) !== undefined;
}
