/** The confirmation dialog before an action. */
import type { ConfirmationDialog } from '@slack/types';
import { html } from 'htm/preact';
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { confirmDefaults, type Scope } from '../blocks/scope.ts';
import { drawPlain, drawText } from '../blocks/text-object.ts';

type Confirmation = {
  /** Runs at once, or after the person has confirmed. */
  readonly guard: (run: () => void) => void;
  /** Drawn next to the element. */
  readonly dialog: ComponentChildren;
};

/** @param confirm of the element, if it has one */
export function useConfirmation(confirm: ConfirmationDialog | undefined, scope: Scope): Confirmation {
  const [run, setRun] = useState<{ readonly now: () => void } | null>(null);
  const answer = (isYes: boolean) => {
    setRun(null);
    if (isYes) run?.now();
  };
  return {
    guard: (now) => (confirm ? setRun({ now }) : now()),
    dialog: confirm && run && html`<${ConfirmView} confirm=${confirm} scope=${scope} answer=${answer} />`,
  };
}

type ConfirmProps = {
  readonly confirm: ConfirmationDialog;
  readonly scope: Scope;
  readonly answer: (isYes: boolean) => void;
};

function ConfirmView({ confirm, scope, answer }: ConfirmProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const { viewer } = scope;
  const title = drawPlain(confirm.title ?? confirmDefaults.title, viewer);
  return html`<dialog ref=${dialog} class="confirm" aria-label=${(confirm.title ?? confirmDefaults.title).text} onClose=${() => answer(false)}>
    <h2 class="confirm-title">${title}</h2>
    <div class="confirm-text">${drawText(confirm.text, viewer)}</div>
    <div class="confirm-buttons">
      <button type="button" class="button" onClick=${() => answer(false)}>
        ${drawPlain(confirm.deny ?? confirmDefaults.deny, viewer)}
      </button>
      <button type="button" class=${`button button-${confirm.style ?? 'primary'} button-full`} onClick=${() => answer(true)}>
        ${drawPlain(confirm.confirm ?? confirmDefaults.confirm, viewer)}
      </button>
    </div>
  </dialog>`;
}
