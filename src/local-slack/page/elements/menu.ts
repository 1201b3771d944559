/** A button that opens a list: choosing with the mouse, the arrow keys or, in a select, by typing. */
import type { PlainTextElement } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { frameAttributes, type InputFrame } from '../blocks/scope.ts';
import type { Viewer } from '../model/viewer.ts';
import { drawPlain } from '../text/mrkdwn.ts';

export type MenuItem = {
  readonly text: PlainTextElement;
  readonly description?: PlainTextElement | undefined;
  readonly value: string;
};

/** `label` is empty for items that belong to no group. */
export type MenuGroup = { readonly label: string; readonly items: readonly MenuItem[] };

/** The options of an external select. */
export type Suggestions = {
  /** Searches by the typed text, empty at first. Without it the menu filters its options itself. */
  readonly search?: (typed: string) => void;
  /** Replaces the options while they load or after an error. */
  readonly note?: string | null;
};

type MenuProps = Suggestions & {
  readonly kind: 'select' | 'menu';
  /** For screen readers. */
  readonly name: string;
  readonly className: string;
  readonly groups: readonly MenuGroup[];
  readonly choose: (item: MenuItem) => void;
  readonly viewer: Viewer;
  /** Set in an input block. */
  readonly frame?: InputFrame | null;
  readonly children?: ComponentChildren;
};

/** The browser places the list at the button, and closes it on Escape and on a click elsewhere. */
export function Menu(props: MenuProps): VNode {
  const { kind, name, className, frame = null, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const role = kind === 'menu' ? 'menu' : 'listbox';
  return html`<span class="menu">
    <button
      type="button"
      class=${className}
      aria-label=${kind === 'menu' ? name : undefined}
      ...${frameAttributes(frame, 'and its content')}
      aria-haspopup=${role}
      aria-expanded=${isOpen}
      popovertarget=${id}
    >
      ${children}
    </button>
    <div ref=${popup} id=${id} class="popup" popover="auto" onToggle=${({ newState }: ToggleEvent) => setOpen(newState === 'open')}>
      ${isOpen && html`<${MenuList} ...${props} id=${id} close=${() => popup.current?.hidePopover()} />`}
    </div>
  </span>`;
}

type ListProps = MenuProps & { readonly id: string; readonly close: () => void };

/** Shorter lists have no search box. */
const searchableFrom = 7;

function MenuList(props: ListProps): VNode {
  const { id, kind, name, groups, search, note, viewer, choose, close } = props;
  const [typed, setTyped] = useState('');
  const [chosen, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const shown = search ? groups : filterGroups(groups, typed);
  const items = shown.flatMap((group) => group.items);
  const active = Math.max(0, Math.min(chosen, items.length - 1));
  useLayoutEffect(() => list.current?.querySelector<HTMLElement>('input, .popup-items')?.focus(), []);
  useEffect(() => search?.(''), []);
  useLayoutEffect(() => list.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' }), [active]);
  const pick = (item: MenuItem | undefined) => {
    if (!item) return;
    close();
    choose(item);
  };
  const press = (event: KeyboardEvent) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moves !== undefined) setActive(Math.max(0, Math.min(items.length - 1, active + moves)));
    else if (event.key === 'Enter') pick(items[active]);
    else return;
    event.preventDefault();
  };
  const type = (event: Event) => {
    const { value } = event.currentTarget as HTMLInputElement;
    setTyped(value);
    setActive(0);
    search?.(value);
  };
  const current = items.length > 0 ? `${id}-${active}` : undefined;
  const isSearchable = search !== undefined || groups.flatMap((group) => group.items).length >= searchableFrom;
  return html`<div ref=${list} onKeyDown=${press}>
    ${
      kind === 'select' &&
      isSearchable &&
      html`<input class="popup-search" type="text" placeholder="Search" autocomplete="off" role="combobox" aria-label=${`Search: ${name}`} aria-expanded="true" aria-controls=${`${id}-list`} aria-activedescendant=${current} onInput=${type} />`
    }
    <div class="popup-items" tabindex="-1" id=${`${id}-list`} role=${kind === 'menu' ? 'menu' : 'listbox'} aria-label=${name} aria-activedescendant=${current}>
      ${items.length === 0 && html`<div class="popup-item soft" role="status">${note ?? 'No results'}</div>`}
      ${shown.map(
        ({ label, items: inGroup }) => html`<div role="group" aria-label=${label || undefined}>
          ${label && html`<div class="popup-item small soft">${label}</div>`}
          ${inGroup.map((item) => {
            const at = items.indexOf(item);
            const isActive = at === active;
            const selected = kind === 'select' ? { 'aria-selected': isActive } : {};
            return html`<button type="button" tabindex="-1" id=${`${id}-${at}`} role=${kind === 'menu' ? 'menuitem' : 'option'} ...${selected} class=${`popup-item${isActive ? ' is-active' : ''}`} onClick=${() => pick(item)} onMouseMove=${() => setActive(at)}>
              ${drawPlain(item.text, viewer)}
              ${item.description && html`<span class="small">${drawPlain(item.description, viewer)}</span>`}
            </button>`;
          })}
        </div>`,
      )}
    </div>
  </div>`;
}

function filterGroups(groups: readonly MenuGroup[], typed: string): readonly MenuGroup[] {
  const wanted = typed.trim().toLowerCase();
  return groups
    .map(({ label, items }) => ({ label, items: items.filter(({ text }) => text.text.toLowerCase().includes(wanted)) }))
    .filter(({ items }) => items.length > 0);
}
