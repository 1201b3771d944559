/** `view_closed`: a person closes a modal. */

import { viewForApps } from '../state/view.ts';
import { actorFields, type InteractionDeps, sendInteraction } from './invoke.ts';
import { findOwnView, type OwnView } from './own-view.ts';

export type ViewClosing = {
  readonly user: string;
  /** Id of the view. */
  readonly view: string;
  /** True if the person pressed the cross in the corner, which closes the whole stack. */
  readonly isWhole?: boolean;
};

export type CloseResult = { readonly ok: true } | { readonly ok: false; readonly error: 'view_not_found' };

/** Resolves after the app's acknowledgement or its timeout; the modal closes at once. */
export async function closeView(
  { user, view: id, isWhole = false }: ViewClosing,
  deps: InteractionDeps,
): Promise<CloseResult> {
  const own = findOwnView(user, id, deps);
  if (own?.view.type !== 'modal') return { ok: false, error: 'view_not_found' };
  const { views } = own.workspace;
  const stack = views.stack(user);
  const isCleared = isWhole || own.view.clearsOnClose;
  const closing = isCleared ? stack : stack.slice(stack.indexOf(own.view));
  const [lowest] = closing;
  if (lowest) views.close(lowest);
  const notified = closing.filter(({ notifiesOnClose }) => notifiesOnClose);
  await Promise.all(notified.toReversed().map((view) => sendViewClosed({ ...own, view }, isCleared, deps)));
  return { ok: true };
}

/** Sends no entered values: only submissions contain them. */
function sendViewClosed(own: OwnView, isCleared: boolean, deps: InteractionDeps) {
  const { workspace, view } = own;
  return sendInteraction(
    workspace,
    {
      type: 'view_closed',
      ...actorFields(own, deps),
      view: viewForApps(view, { appId: deps.app.id, workspace, state: {} }),
      is_cleared: isCleared,
    },
    deps,
  );
}
