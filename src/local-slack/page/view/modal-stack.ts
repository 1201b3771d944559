/** The stack of modals in one dialog: the top one is visible, the others keep their input. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { BlockView } from '../blocks/block.ts';
import { post } from '../client.ts';
import { usePage } from '../hooks/use-page.ts';
import { useViewForm } from '../hooks/use-view-form.ts';
import type { PageView } from '../protocol.ts';
import { drawPlain } from '../text/mrkdwn.ts';
import { Avatar } from './avatar.ts';

export function ModalStack(): VNode {
  const { model, viewer } = usePage();
  const titleId = useId();
  const { modals } = model;
  const top = modals.at(-1);
  const close = (isWhole: boolean) => {
    if (top) void post('close', { user: viewer.userId, view: top.id, isWhole });
  };
  const dialog = useDialog(() => close(false), modals);
  return html`<dialog ref=${dialog} class="modal" aria-labelledby=${titleId}>
    ${modals.map((view) => {
      const isTop = view === top;
      return html`<${ModalView} key=${view.id} ...${{ view, isTop, close }} titleId=${isTop ? titleId : undefined} />`;
    })}
  </dialog>`;
}

/** Leaves closing to the server: Escape only requests it, and a dialog that closed by itself opens again. */
function useDialog(leave: () => void, modals: readonly PageView[]): { readonly current: HTMLDialogElement | null } {
  const dialog = useRef<HTMLDialogElement>(null);
  const leaving = useRef(leave);
  leaving.current = leave;
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened) return undefined;
    const ask = (event: Event) => {
      if (event.target !== opened) return;
      event.preventDefault();
      leaving.current();
    };
    opened.addEventListener('cancel', ask);
    opened.addEventListener('close', ask);
    return () => {
      opened.removeEventListener('close', ask);
      opened.close();
    };
  }, []);
  useLayoutEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, [modals]);
  return dialog;
}

type ModalProps = {
  readonly view: PageView;
  readonly isTop: boolean;
  readonly titleId: string | undefined;
  readonly close: (isWhole: boolean) => void;
};

function ModalView({ view, isTop, close, titleId }: ModalProps): VNode {
  const { state, viewer } = usePage();
  const { scope, isSubmitting, problem, ...form } = useViewForm(view);
  const root = useRef<HTMLFormElement>(null);
  useFocus(root, { view, isTop, errors: scope.form?.errors });
  const submit = (event: Event) => {
    event.preventDefault();
    if (!isSubmitting && view.submit) void form.submit();
  };
  return html`<form ref=${root} class="modal-view column" hidden=${!isTop} noValidate onSubmit=${submit}>
    <header class="modal-header row">
      <${Avatar} userId=${state.app.botUserId} size="small" />
      <h2 class="grow" id=${titleId}>${view.title && drawPlain(view.title, viewer)}</h2>
      <button type="button" class="tool tile" aria-label="Close" onClick=${() => close(true)}>×</button>
    </header>
    <div class="modal-body view-blocks column">
      ${view.blocks.map((block) => html`<${BlockView} key=${block.block_id} block=${block} scope=${scope} />`)}
    </div>
    ${problem !== null && html`<div class="modal-problem" role="alert">${problem}</div>`}
    <${ModalButtons} ...${{ view, isSubmitting, close }} />
  </form>`;
}

type ButtonsProps = Pick<ModalProps, 'view' | 'close'> & { readonly isSubmitting: boolean };

function ModalButtons({ view, isSubmitting, close }: ButtonsProps): VNode {
  const { viewer } = usePage();
  const leave = view.close ? drawPlain(view.close, viewer) : view.submit ? 'Cancel' : 'Close';
  const submit =
    view.submit &&
    html`<button
      type="submit"
      class=${`button button-primary${isSubmitting ? ' is-pending' : ''}`}
      aria-busy=${isSubmitting}
      disabled=${isSubmitting}
    >
      <span class="button-label">${drawPlain(view.submit, viewer)}</span>
    </button>`;
  return html`<footer class="modal-buttons">
    <button type="button" class="button" onClick=${() => close(false)}>${leave}</button>
    ${submit}
  </footer>`;
}

const focusable = 'input, textarea, select, button:not(.chip-remove, .mention)';

type FocusProps = Pick<ModalProps, 'view' | 'isTop'> & {
  readonly errors: Readonly<Record<string, string>> | undefined;
};

/**
 * Focuses the input with `focus_on_load`, otherwise the first one; after a refusal the first invalid one. Runs after
 * the dialog has opened, which takes the focus, and again when the app replaces a waiting view by a form.
 */
function useFocus(root: { readonly current: HTMLFormElement | null }, { view, isTop, errors }: FocusProps): void {
  const focus = (...selectors: string[]) => {
    const found = selectors.map((selector) => root.current?.querySelector<HTMLElement>(selector)).find(Boolean);
    found?.focus();
  };
  useEffect(() => {
    // Keeps the focus of a person who is typing.
    if (isTop && !root.current?.querySelector('.modal-body :focus'))
      focus('[data-focus]', `.modal-body :is(${focusable})`, '.modal-buttons [type=submit]', '.modal-buttons button');
  }, [isTop, view.title?.text]);
  const wrong = Object.keys(errors ?? {}).length;
  useEffect(() => {
    if (isTop && wrong > 0) focus(`.has-error :is(${focusable})`);
  }, [errors]);
}
