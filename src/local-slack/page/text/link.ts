/** What every link of the page carries: a tab of its own, or the place in the page that it is the address of. */

import type { Viewer } from '../model/viewer.ts';
import { readPermalink } from '../permalink.ts';

type LinkAttributes = {
  readonly href: string;
  readonly target?: '_blank';
  readonly rel?: 'noopener noreferrer';
  readonly onClick: (event: Event) => void;
};

/** @param url has passed `safeUrl` @param onPress what else a click does */
export function linkTo(url: string, viewer: Viewer, onPress: () => void = () => undefined): LinkAttributes {
  const message = readPermalink(url, viewer.origin);
  if (!message) return { href: url, target: '_blank', rel: 'noopener noreferrer', onClick: onPress };
  const onClick = (event: Event) => {
    event.preventDefault();
    onPress();
    viewer.openMessage(message);
  };
  return { href: url, onClick };
}
