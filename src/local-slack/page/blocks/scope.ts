/** Context of a block: the viewer, its actions, and the form around an input. */
import type { PlainTextOption } from '@slack/types';
import type { Viewer } from '../model/viewer.ts';
import type { ElementState, ElementValue, PageSuggestions } from '../protocol.ts';

/** One press, with Slack's ids; `selected` is the chosen value. */
export type Press = { readonly blockId: string; readonly actionId: string; readonly selected: ElementValue };

type Query = { readonly blockId: string; readonly actionId: string; readonly value: string };

export type Scope = {
  readonly viewer: Viewer;
  readonly press: (press: Press) => void;
  /** The app's options for typed text; never rejects. */
  readonly suggest: (query: Query) => Promise<PageSuggestions>;
  /** Returns true if an earlier press of this element has no reply yet. */
  readonly isPending: (blockId: string, actionId: string) => boolean;
  /** True in an edited message. */
  readonly isEdited: boolean;
  /** The form of a view, which keeps entered values until submission; null in a message. */
  readonly form: Form | null;
};

type Form = {
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

/** Attributes that connect an input with its label, hint and error. */
export type InputFrame = {
  readonly id: string;
  readonly 'aria-labelledby': string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
};

/** @returns what is chosen or typed: in the form, or in a message, where the element itself has the initial values */
export function currentValues(
  element: { readonly action_id?: string },
  blockId: string,
  { form }: Scope,
): readonly unknown[] {
  const state = form?.stateOf(blockId, element.action_id ?? '');
  const fields = Object.entries(state ?? element).filter(([name]) => /^(?:initial|selected)_|^value$/.test(name));
  return fields.flatMap(([, value]: readonly [string, unknown]) => value);
}

export function isOption(value: unknown): value is PlainTextOption {
  return typeof value === 'object' && value !== null && 'text' in value;
}
