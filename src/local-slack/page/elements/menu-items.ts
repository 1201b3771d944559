/** The choices of an open menu; whoever has the focus names the highlighted one to screen readers. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { drawPlain } from '../blocks/text-object.ts';
import type { Viewer } from '../model/viewer.ts';
import type { MenuGroup, MenuItem, MenuProps } from './menu-choices.ts';

type ItemsProps = Pick<MenuProps, 'kind' | 'name' | 'viewer'> & {
  readonly id: string;
  readonly groups: readonly MenuGroup[];
  /** Counts through all groups. */
  readonly active: number;
  readonly pick: (item: MenuItem) => void;
  readonly setActive: (index: number) => void;
  readonly note: string | null;
};

export function MenuItems({ id, kind, name, groups, active, pick, setActive, viewer, note }: ItemsProps): VNode {
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

/** @returns the id of one choice of the list with this id */
export function itemId(id: string, index: number): string {
  return `${id}-${index}`;
}
