/** Options that the app offered in external selects, so that a selection is reported with its text. */
import type { PlainTextOption } from '@slack/types';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { InteractiveElement } from '../interactions/elements.ts';

const menusMax = 500;
const optionsMax = 500;

export class OfferedOptions {
  readonly #offered = createLruCache<readonly PlainTextOption[]>({ entriesMax: menusMax });

  /** @param surfaceKey of the message or view @returns the options offered to this person there; empty if there are none */
  find(user: string, surfaceKey: string, element: InteractiveElement): readonly PlainTextOption[] {
    return this.#offered.get(keyOf(user, surfaceKey, element)) ?? [];
  }

  /** Adds to the earlier options, because several can be chosen one after another. */
  add(user: string, surfaceKey: string, element: InteractiveElement, options: readonly PlainTextOption[]): void {
    const before = this.find(user, surfaceKey, element);
    this.#offered.set(keyOf(user, surfaceKey, element), [...options, ...before].slice(0, optionsMax));
  }
}

function keyOf(user: string, surfaceKey: string, { blockId, element }: InteractiveElement): string {
  return [user, surfaceKey, blockId, element['action_id']].join('\n');
}
