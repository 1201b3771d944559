/** What a block needs besides itself: who looks, and what pressing does. */
import type { ConfirmationDialog } from '@slack/types';
import type { PageSuggestions } from '../protocol.ts';
import type { Viewer } from '../viewer.ts';

/** One press, named as Slack names it; `selected` is the value or date chosen. */
export type Press = { readonly blockId: string; readonly actionId: string; readonly selected: string | null };

export type Query = { readonly blockId: string; readonly actionId: string; readonly value: string };

export type Scope = {
  readonly viewer: Viewer;
  readonly press: (press: Press) => void;
  /** What the app offers for what was typed; never rejects. */
  readonly suggest: (query: Query) => Promise<PageSuggestions>;
  /** Whether an earlier press of this element is still being answered. */
  readonly isPending: (blockId: string, actionId: string) => boolean;
};

/** What every interactive element is given. */
export type ElementProps<Element> = { readonly element: Element; readonly blockId: string; readonly scope: Scope };

/** Slack's own words for a dialog that leaves some out. */
export const confirmDefaults = {
  title: { type: 'plain_text', text: 'Are you sure?' },
  confirm: { type: 'plain_text', text: 'Yes' },
  deny: { type: 'plain_text', text: 'Cancel' },
} as const satisfies Partial<ConfirmationDialog>;
