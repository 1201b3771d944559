/** Options that the app offered in external selects, so that a selection is reported with its text. */
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { InteractiveElement } from '../interactions/elements.ts';
import type { PageOptionGroup } from '../page/protocol.ts';

export type Option = PageOptionGroup['options'][number];

export type OfferedOptions = {
  /** @param surfaceKey of the message or view @returns the options offered to this person there; empty if there are none */
  readonly find: (user: string, surfaceKey: string, element: InteractiveElement) => readonly Option[];
  /** Adds to the earlier options, because several can be chosen one after another. */
  readonly add: (user: string, surfaceKey: string, element: InteractiveElement, options: readonly Option[]) => void;
};

const menusMax = 500;
const optionsMax = 500;

export function createOfferedOptions(): OfferedOptions {
  const offered = createLruCache<readonly Option[]>({ entriesMax: menusMax });
  const keyOf = (user: string, surfaceKey: string, { blockId, element }: InteractiveElement) =>
    [user, surfaceKey, blockId, element['action_id']].join('\n');
  return {
    find: (user, surfaceKey, element) => offered.get(keyOf(user, surfaceKey, element)) ?? [],
    add: (user, surfaceKey, element, options) => {
      const key = keyOf(user, surfaceKey, element);
      const before = offered.get(key) ?? [];
      offered.set(key, [...options, ...before].slice(0, optionsMax));
    },
  };
}
