/** Converts windows to the service's inputs and to cache keys. */
import { isRolling, type Window } from '../domain/window.ts';

/** @param at epoch milliseconds @returns ISO 8601, UTC */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

/** `to` is inclusive. A window that goes on has none: the service's clock may be ahead of ours. */
export function spanOf({ from, to, isMoving }: Window): { readonly from: string; readonly to?: string } {
  return { from: instant(from), ...(!isMoving && { to: instant(to - 1) }) };
}

/** @param startedAt ISO 8601 */
export function isWithin({ from, to, isMoving }: Window, startedAt: string): boolean {
  const at = Date.parse(startedAt);
  return at >= from && (isMoving || at < to);
}

/** A window whose ends both move has no instant in its key, or no answer would ever be found again. */
export function windowKey(window: Window): readonly (string | number)[] {
  if (isRolling(window)) return [window.label];
  return [window.label, window.from, window.isMoving ? 'until now' : window.to];
}
