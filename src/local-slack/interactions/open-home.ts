/** `app_home_opened`: a person opens the app in the sidebar. */

import type { AppTab } from '../page/protocol.ts';
import { viewForApps, viewState } from '../state/view.ts';
import { directChannel } from '../web-api/method.ts';
import { type Actor, findActor, findActors, type InteractionDeps } from './invoke.ts';

export type HomeOpening = {
  readonly user: string;
  /** The open tab; Home if left out. */
  readonly tab?: AppTab;
  /** The workspace in which it is opened; the person's home by default. */
  readonly team?: string;
};

/** Does not wait for the app. @returns false for an unknown person or tab */
export function openHome({ user, tab = 'home', team }: HomeOpening, deps: InteractionDeps): boolean {
  const isThere = (each: Actor) => each.workspace.teamId === team;
  const actor =
    team === undefined ? findActor(deps.workspaces.all, user) : findActors(deps.workspaces.all, user).find(isThere);
  const channel = actor && directChannel(actor.workspace, user);
  if (!channel || (tab === 'home' && !deps.app.hasHome)) return false;
  const { workspace } = actor;
  const home = tab === 'home' ? workspace.views.home(user) : undefined;
  const state = home && viewState(home, deps.offeredOptions);
  const event = {
    type: 'app_home_opened',
    user,
    channel: channel.id,
    tab,
    event_ts: (deps.clock() / 1000).toFixed(6),
    // No view until the app publishes the first one.
    ...(home && state && { view: viewForApps(home, { appId: deps.app.id, workspace, state }) }),
  };
  void deps.appEvents.send(event, workspace);
  return true;
}
