/** What one can do with a message that everyone sees: answer in its thread, hand it to the app, or delete it. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { Press, Query } from '../blocks/scope.ts';
import { Menu } from '../elements/menu.ts';
import type { MenuItem } from '../elements/menu-choices.ts';
import type { Viewer } from '../model/viewer.ts';
import type { PageMessage, PageState, PageSuggestions } from '../protocol.ts';
import { icon } from './icons.ts';

export type MessageHands = {
  readonly press: (message: PageMessage, press: Press) => void;
  readonly suggest: (message: PageMessage, query: Query) => Promise<PageSuggestions>;
  /** Presses that wait for their answer, by `pressKey`. */
  readonly pending: ReadonlySet<string>;
  /** What the app offers for a message. */
  readonly shortcuts: PageState['app']['shortcuts'];
  readonly shortcut: (message: PageMessage, callbackId: string) => void;
  readonly remove: (message: PageMessage) => void;
  /** Absent inside a thread. */
  readonly openThread?: (ts: string) => void;
};

type ToolsProps = { readonly message: PageMessage; readonly viewer: Viewer; readonly hands: MessageHands };

export function MessageTools({ message, viewer, hands }: ToolsProps): VNode {
  const { openThread, shortcuts, shortcut, remove } = hands;
  const mayDelete = message.user === viewer.userId || viewer.users.get(viewer.userId)?.isAdmin === true;
  const items = shortcuts.map(({ name, callbackId }) => toItem(name, callbackId));
  const groups = [{ label: '', items: mayDelete ? [...items, toItem('Delete message', deletion)] : items }];
  const reply = html`<button type="button" class="tool" aria-label="Reply in thread" title="Reply in thread" onClick=${() => openThread?.(message.ts)}>
    ${icon('reply')}
  </button>`;
  return html`<div class="message-tools">
    ${openThread && reply}
    <${Menu}
      kind="menu"
      name="More actions"
      className="tool"
      groups=${groups}
      choose=${({ value }: MenuItem) => (value === deletion ? remove(message) : shortcut(message, value))}
      viewer=${viewer}
    >
      ${icon('more')}
    <//>
  </div>`;
}

/** No callback id of an app's is empty. */
const deletion = '';

function toItem(name: string, callbackId: string): MenuItem {
  return { text: { type: 'plain_text', text: name, emoji: false }, description: null, value: callbackId, url: null };
}
