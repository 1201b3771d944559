/** Options that the app offered in external selects, so that a selection is reported with its text. */
import type { InteractiveElement } from '../interactions/elements.ts';
import type { PageOptionGroup } from '../page/protocol.ts';
import { evictOldest } from './evict-oldest.ts';

export type Option = PageOptionGroup['options'][number];

export type OfferedOptions = {
  /** @param place of the menu: a message or a view @returns what this person was offered there; empty where nothing was */
  readonly find: (user: string, surfaceKey: string, element: InteractiveElement) => readonly Option[];
  /** Adds to what was offered before: several can be chosen one after another. */
  readonly add: (user: string, surfaceKey: string, element: InteractiveElement, options: readonly Option[]) => void;
};

const menusMax = 500;
const optionsMax = 500;

export function createOfferedOptions(): OfferedOptions {
  const offered = new Map<string, readonly Option[]>();
  const keyOf = (user: string, surfaceKey: string, { blockId, element }: InteractiveElement) =>
    [user, surfaceKey, blockId, element['action_id']].join('\n');
  return {
    find: (user, surfaceKey, element) => offered.get(keyOf(user, surfaceKey, element)) ?? [],
    add: (user, surfaceKey, element, options) => {
      const key = keyOf(user, surfaceKey, element);
      const before = offered.get(key) ?? [];
      offered.delete(key);
      offered.set(key, [...options, ...before].slice(0, optionsMax));
      evictOldest(offered, menusMax);
    },
  };
}
