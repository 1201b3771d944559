/** A button that opens a short list to choose from, and every way out of it. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

type SwitcherProps = {
  readonly className: string;
  /** Of the list. */
  readonly label: string;
  /** What the button shows. */
  readonly button: ComponentChildren;
  /** The list's items. @param close to be called once one is chosen */
  readonly items: (close: () => void) => ComponentChildren;
};

export function Switcher({ className, label, button, items }: SwitcherProps): VNode {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leave = ({ target }: Event) => target instanceof Node && !root.current?.contains(target) && setOpen(false);
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, []);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (!isOpen || event.key !== 'Escape') return;
    event.stopPropagation();
    setOpen(false);
  };
  return html`<div ref=${root} class=${`switcher ${className}`} onKeyDown=${closeOnEscape}>
    ${isOpen && html`<ul class="switcher-list" aria-label=${label}>${items(() => setOpen(false))}</ul>`}
    <button type="button" class="switcher-button" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      ${button}
      <span class="chevron" aria-hidden="true"></span>
    </button>
  </div>`;
}
