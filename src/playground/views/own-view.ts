/** A person's own view, and what they enter in it. */
import { type Chosen, chosenState, type Entered } from '../chosen.ts';
import { interactiveElements } from '../elements.ts';
import { findActor, type InvokeDeps } from '../invoke.ts';
import type { Person } from '../seed.ts';
import type { Workspace } from '../workspace.ts';
import type { SlackView } from './view.ts';

export type OwnView = { readonly workspace: Workspace; readonly person: Person; readonly view: SlackView };

/** @returns undefined where the view is gone, or somebody else's */
export function findOwnView(user: string, id: string, { workspaces }: Pick<InvokeDeps, 'workspaces'>) {
  const actor = findActor(workspaces(), user);
  const view = actor?.workspace.views.find(id);
  return actor && view?.userId === user ? { ...actor, view } : undefined;
}

/** @returns the view with the values in it; undefined, and changes nothing, where one of them cannot be entered */
export function enterValues(
  { workspace, view }: OwnView,
  values: Entered,
  { offers }: Pick<InvokeDeps, 'offers'>,
): SlackView | undefined {
  const elements = interactiveElements(view.blocks);
  const canEnter = (blockId: string, actionId: string, chosen: Chosen) => {
    const found = elements.find((each) => each.blockId === blockId && each.element['action_id'] === actionId);
    return found && chosenState(found.element, chosen, offers.find(view.userId, view.id, found)) !== undefined;
  };
  const all = Object.entries(values).flatMap(([blockId, block]) =>
    Object.entries(block).map(([actionId, chosen]) => canEnter(blockId, actionId, chosen)),
  );
  return all.every(Boolean) ? workspace.views.enter(view, values) : undefined;
}
