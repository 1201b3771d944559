/** A person deletes a message, as Slack lets its author and admins do. */
import { findInvoker, type InvokeDeps } from './invoke.ts';

export type Deletion = { readonly user: string; readonly channel: string; readonly ts: string };

/** @returns whether it is gone */
export function deleteMessage(
  { user, channel, ts }: Deletion,
  { workspaces }: Pick<InvokeDeps, 'workspaces'>,
): boolean {
  const invoker = findInvoker(workspaces(), user, channel);
  const message = invoker?.workspace.history.find(channel, ts);
  if (!invoker || !message || message.isEphemeral) return false;
  if (message.user !== user && !invoker.person.isAdmin) return false;
  invoker.workspace.history.remove(message);
  return true;
}
