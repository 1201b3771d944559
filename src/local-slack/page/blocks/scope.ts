/** Context of a block: the viewer, its actions, and the form around an input. */
import type { ConfirmationDialog } from '@slack/types';
import type { Viewer } from '../model/viewer.ts';
import type { ElementState, ElementValue, PageSuggestions } from '../protocol.ts';

/** One press, named as Slack names it; `selected` is what was chosen. */
export type Press = { readonly blockId: string; readonly actionId: string; readonly selected: ElementValue };

export type Query = { readonly blockId: string; readonly actionId: string; readonly value: string };

export type Scope = {
  readonly viewer: Viewer;
  readonly press: (press: Press) => void;
  /** The app's options for typed text; never rejects. */
  readonly suggest: (query: Query) => Promise<PageSuggestions>;
  /** Whether an earlier press of this element is still being answered. */
  readonly isPending: (blockId: string, actionId: string) => boolean;
  /** Of a view, which holds what is entered until it is submitted; null in a message. */
  readonly form: Form | null;
};

export type Form = {
  /** The element's state when the view was shown. */
  readonly stateOf: (blockId: string, actionId: string) => ElementState | undefined;
  /** Stores an entered value without a request to the app. */
  readonly enter: (press: Press) => void;
  /** Error texts of the inputs, by block id. */
  readonly errors: Readonly<Record<string, string>>;
};

/** Props of an element; `frame` is null outside an input block. */
export type ElementProps<Element> = {
  readonly element: Element;
  readonly blockId: string;
  readonly scope: Scope;
  readonly frame: InputFrame | null;
};

/** How the label, the hint and the error around an input belong to it. */
export type InputFrame = {
  readonly inputId: string;
  readonly labelId: string;
  /** The ids of hint and error. */
  readonly describedBy: string | undefined;
  readonly isInvalid: boolean;
  /** Whether each change is dispatched to the app. */
  readonly isDispatching: boolean;
};

/** Slack's own words for a dialog that leaves some out. */
export const confirmDefaults = {
  title: { type: 'plain_text', text: 'Are you sure?' },
  confirm: { type: 'plain_text', text: 'Yes' },
  deny: { type: 'plain_text', text: 'Cancel' },
} as const satisfies Partial<ConfirmationDialog>;

/** @param own the id that the element has anyway; its content is then read after the label */
export function frameAttributes(frame: InputFrame | null, own?: 'and its content') {
  if (!frame) return {};
  return {
    id: frame.inputId,
    'aria-labelledby': own ? `${frame.labelId} ${frame.inputId}` : frame.labelId,
    'aria-describedby': frame.describedBy,
    'aria-invalid': frame.isInvalid ? 'true' : undefined,
  };
}
