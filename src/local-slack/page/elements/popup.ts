/** A button that opens a list. The browser places the list, and closes it on Escape and on a click elsewhere. */
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

type PopupProps = {
  /** Name of the list. */
  readonly name: string;
  readonly className: string;
  /** Further attributes of the button. */
  readonly attributes?: object;
  /** Content of the button. */
  readonly children?: ComponentChildren;
  /** Draws the list. @param close to be called after a choice */
  readonly draw: (close: () => void) => ComponentChildren;
};

export function Popup({ name, className, attributes, children, draw }: PopupProps): VNode {
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return html`<span class="menu">
    <button type="button" class=${className} ...${attributes} popovertarget=${id} aria-expanded=${isOpen}>${children}</button>
    <div ref=${list} id=${id} class="popup framed" popover="auto" role="group" aria-label=${name} onToggle=${({ newState }: ToggleEvent) => setOpen(newState === 'open')}>
      ${isOpen && draw(() => list.current?.hidePopover())}
    </div>
  </span>`;
}
