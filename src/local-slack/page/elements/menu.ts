/** A menu button with its popup: choosing with the mouse, the arrow keys or, in a select, by typing. */
import { html } from 'htm/preact';
import type { RefObject, VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { frameAttributes } from '../blocks/scope.ts';
import { drawPlain } from '../blocks/text-object.ts';
import type { Viewer } from '../model/viewer.ts';
import type { MenuGroup, MenuItem, MenuProps } from './choices.ts';

export function Menu(props: MenuProps): VNode {
  const [position, setPosition] = useState<PopupPosition | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = (hasFocus: boolean) => {
    setPosition(null);
    if (hasFocus) trigger.current?.focus();
  };
  const toggle = () => {
    if (position) close(true);
    else if (trigger.current) setPosition(positionUnder(trigger.current.getBoundingClientRect()));
  };
  const openWithArrow = (event: KeyboardEvent) => {
    if (position || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    toggle();
  };
  return html`<span class="menu">
    <button
      type="button"
      ref=${trigger}
      class=${props.className}
      aria-label=${props.kind === 'menu' ? props.name : undefined}
      ...${frameAttributes(props.frame ?? null, 'and its content')}
      aria-haspopup=${props.kind === 'menu' ? 'menu' : 'listbox'}
      aria-expanded=${position !== null}
      onClick=${toggle}
      onKeyDown=${openWithArrow}
    >
      ${props.children}
    </button>
    ${position && html`<${MenuPopup} ...${props} position=${position} trigger=${trigger} close=${close} />`}
  </span>`;
}

/** Position in pixels of the window; the list opens upwards if there is more room. */
type PopupPosition = {
  readonly left: number;
  readonly top: number | undefined;
  readonly bottom: number | undefined;
  readonly width: number;
  readonly maxHeight: number;
};

type PopupProps = MenuProps & {
  readonly position: PopupPosition;
  readonly trigger: RefObject<HTMLButtonElement | null>;
  readonly close: (hasFocus: boolean) => void;
};

const widthMin = 240;
const edge = 8;
/** Shorter lists have no search box. */
const searchableFrom = 7;

/** @param around the pressed button */
function positionUnder(around: DOMRect): PopupPosition {
  const width = Math.min(Math.max(around.width, widthMin), innerWidth - 2 * edge);
  const left = Math.max(edge, Math.min(around.left, innerWidth - width - edge));
  const below = innerHeight - around.bottom - edge;
  const isUp = below < 260 && around.top > below;
  return {
    ...{ left, width, maxHeight: Math.min(360, (isUp ? around.top : below) - edge) },
    top: isUp ? undefined : around.bottom + 4,
    bottom: isUp ? innerHeight - around.top + 4 : undefined,
  };
}

function MenuPopup(props: PopupProps): VNode {
  const { kind, name, position, choose, close, viewer } = props;
  const [typed, setTyped] = useState('');
  const [chosen, setActive] = useState(0);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const groups = props.search ? props.groups : filterGroups(props.groups, typed);
  const items = groups.flatMap((group) => group.items);
  const active = Math.max(0, Math.min(chosen, items.length - 1));
  const pick = (item: MenuItem | undefined) => {
    if (!item) return;
    close(true);
    choose(item);
  };
  useDismissal(popup, props);
  useEffect(() => props.search?.(''), []);
  useLayoutEffect(
    () => popup.current?.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' }),
    [active, typed],
  );
  const press = (event: KeyboardEvent) => {
    const next = afterKey(event.key, active, items.length);
    if (next === null && event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== null) setActive(next);
    else if (event.key === 'Enter') pick(items[active]);
    else close(true);
  };
  const search = (text: string) => {
    setTyped(text);
    setActive(0);
    props.search?.(text);
  };
  const isLong = kind === 'select' && props.groups.flatMap((group) => group.items).length >= searchableFrom;
  const isSearchable = isLong || props.search !== undefined;
  const box = isSearchable && html`<${SearchBox} id=${id} name=${name} active=${active} search=${search} />`;
  return html`<div ref=${popup} class="popup" style=${toStyle(position)} onKeyDown=${press}>
    ${box}
    <${MenuItems} ...${{ id, kind, name, groups, active, pick, setActive, viewer, note: props.note ?? null }} />
  </div>`;
}

type SearchProps = {
  readonly id: string;
  readonly name: string;
  readonly active: number;
  readonly search: (typed: string) => void;
};

function SearchBox({ id, name, active, search }: SearchProps): VNode {
  const attributes = {
    role: 'combobox',
    'aria-label': `Search: ${name}`,
    'aria-expanded': true,
    'aria-autocomplete': 'list',
    'aria-controls': id,
    'aria-activedescendant': itemId(id, active),
    onInput: (event: Event) => search((event.currentTarget as HTMLInputElement).value),
  };
  return html`<input class="popup-search" type="text" placeholder="Search" autocomplete="off" ...${attributes} />`;
}

/** @returns the item that a key moves to, or null for other keys */
function afterKey(key: string, active: number, count: number): number | null {
  if (key === 'ArrowDown') return Math.min(active + 1, Math.max(0, count - 1));
  if (key === 'ArrowUp') return Math.max(active - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? Math.max(0, count - 1) : null;
}

function filterGroups(groups: readonly MenuGroup[], typed: string): readonly MenuGroup[] {
  const wanted = typed.trim().toLowerCase();
  return groups
    .map(({ label, items }) => ({ label, items: items.filter(({ text }) => text.text.toLowerCase().includes(wanted)) }))
    .filter(({ items }) => items.length > 0);
}

function toStyle({ left, top, bottom, width, maxHeight }: PopupPosition) {
  const px = (value: number | undefined) => (value === undefined ? 'auto' : `${value}px`);
  return { left: px(left), top: px(top), bottom: px(bottom), width: px(width), maxHeight: px(maxHeight) };
}

/** Focuses the list; closes it when the person clicks or focuses elsewhere, or the page scrolls under it. */
function useDismissal(popup: RefObject<HTMLDivElement | null>, { trigger, close }: PopupProps): void {
  useLayoutEffect(() => {
    const target = popup.current?.querySelector<HTMLElement>('input, .popup-items');
    target?.focus({ preventScroll: true });
    const isInside = ({ target }: Event) =>
      target instanceof Node &&
      (popup.current?.contains(target) === true || trigger.current?.contains(target) === true);
    const topOf = () => trigger.current?.getBoundingClientRect().top;
    const placedAt = topOf();
    // Scroll events from before the list opened arrive after it.
    const isOver = ({ type }: Event) => type === 'scroll' && topOf() === placedAt;
    const leave = (event: Event) => !isInside(event) && !isOver(event) && close(false);
    const events = ['pointerdown', 'scroll', 'focusin'] as const;
    for (const name of events) document.addEventListener(name, leave, true);
    window.addEventListener('resize', leave);
    return () => {
      for (const name of events) document.removeEventListener(name, leave, true);
      window.removeEventListener('resize', leave);
    };
  }, []);
}

type ItemsProps = Pick<MenuProps, 'kind' | 'name' | 'viewer'> & {
  readonly id: string;
  readonly groups: readonly MenuGroup[];
  /** Index over all groups. */
  readonly active: number;
  readonly pick: (item: MenuItem) => void;
  readonly setActive: (index: number) => void;
  readonly note: string | null;
};

function MenuItems({ id, kind, name, groups, active, pick, setActive, viewer, note }: ItemsProps): VNode {
  const items = groups.flatMap((group) => group.items);
  const drawOne = (item: MenuItem) => {
    const at = items.indexOf(item);
    const isActive = at === active;
    const attributes = {
      id: itemId(id, at),
      role: kind === 'menu' ? 'menuitem' : 'option',
      class: `popup-item${isActive ? ' is-active' : ''}`,
      'aria-selected': kind === 'menu' ? undefined : isActive,
      onClick: () => pick(item),
      onMouseMove: () => setActive(at),
    };
    return html`<button type="button" tabindex="-1" ...${attributes}>${drawItem(item, viewer)}</button>`;
  };
  const listAttributes = {
    id,
    role: kind === 'menu' ? 'menu' : 'listbox',
    'aria-label': name,
    'aria-activedescendant': items.length > 0 ? itemId(id, active) : undefined,
  };
  return html`<div class="popup-items" tabindex="-1" ...${listAttributes}>
    ${items.length === 0 && html`<div class="popup-none" role="status">${note ?? 'No results'}</div>`}
    ${groups.map(
      (group) => html`<div role="group" aria-label=${group.label || undefined}>
        ${group.label && html`<div class="popup-group">${group.label}</div>`} ${group.items.map(drawOne)}
      </div>`,
    )}
  </div>`;
}

function drawItem({ text, description }: MenuItem, viewer: Viewer): VNode {
  const second = description && html`<span class="popup-description">${drawPlain(description, viewer)}</span>`;
  return html`<span class="popup-words"><span>${drawPlain(text, viewer)}</span>${second}</span>`;
}

/** @returns the id of an item of a list */
function itemId(id: string, index: number): string {
  return `${id}-${index}`;
}
