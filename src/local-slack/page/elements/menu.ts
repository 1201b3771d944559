/** A list that opens under a button: chosen from with the mouse, the arrow keys or, in a select, by typing. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { frameAttributes } from './frame-attributes.ts';
import type { MenuProps } from './menu-choices.ts';
import { MenuPopup, type PopupPlace, placeUnder } from './menu-popup.ts';

export function Menu(props: MenuProps): VNode {
  const [place, setPlace] = useState<PopupPlace | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const close = (hasFocus: boolean) => {
    setPlace(null);
    if (hasFocus) trigger.current?.focus();
  };
  const toggle = () => {
    if (place) close(true);
    else if (trigger.current) setPlace(placeUnder(trigger.current.getBoundingClientRect()));
  };
  const openWithArrow = (event: KeyboardEvent) => {
    if (place || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
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
      aria-expanded=${place !== null}
      onClick=${toggle}
      onKeyDown=${openWithArrow}
    >
      ${props.children}
    </button>
    ${place && html`<${MenuPopup} ...${props} place=${place} trigger=${trigger} close=${close} />`}
  </span>`;
}
