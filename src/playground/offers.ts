/** What the app offered in menus that it fills itself, so that a choice can be told as Slack tells it: with its words. */
import type { Found } from './elements.ts';
import type { SlackMessage } from './history.ts';
import type { PageOptionGroup } from './page/protocol.ts';

export type Option = PageOptionGroup['options'][number];

export type Offers = {
  /** @returns what this person was last offered there; empty where nothing was */
  readonly find: (user: string, message: SlackMessage, element: Found) => readonly Option[];
  readonly keep: (user: string, message: SlackMessage, element: Found, options: readonly Option[]) => void;
};

const menusMax = 500;

export function createOffers(): Offers {
  const offered = new Map<string, readonly Option[]>();
  const keyOf = (user: string, { channel, ts }: SlackMessage, { blockId, element }: Found) =>
    [user, channel, ts, blockId, element['action_id']].join('\n');
  return {
    find: (user, message, element) => offered.get(keyOf(user, message, element)) ?? [],
    keep: (user, message, element, options) => {
      const key = keyOf(user, message, element);
      offered.delete(key);
      offered.set(key, options);
      for (const oldest of offered.keys()) if (offered.size > menusMax) offered.delete(oldest);
    },
  };
}
