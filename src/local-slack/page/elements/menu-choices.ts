/** What a menu offers, and to whom. */
import type { PlainTextElement } from '@slack/types';
import type { ComponentChildren } from 'preact';
import type { InputFrame } from '../blocks/scope.ts';
import type { Viewer } from '../model/viewer.ts';

export type MenuItem = {
  readonly text: PlainTextElement;
  readonly description: PlainTextElement | null;
  readonly value: string;
  /** Safe, or null. */
  readonly url: string | null;
};

/** `label` is empty for items that belong to no group. */
export type MenuGroup = { readonly label: string; readonly items: readonly MenuItem[] };

export type MenuProps = {
  readonly kind: 'select' | 'menu';
  /** Said by screen readers. */
  readonly name: string;
  readonly className: string;
  readonly groups: readonly MenuGroup[];
  readonly choose: (item: MenuItem) => void;
  readonly viewer: Viewer;
  /** Where the choices are searched elsewhere: told what was typed, at first nothing. Otherwise the menu searches them itself. */
  readonly search?: ((typed: string) => void) | undefined;
  /** Stands in place of the choices: they are under way, or did not come. */
  readonly note?: string | null;
  /** Of an input block. */
  readonly frame?: InputFrame | null;
  readonly children?: ComponentChildren;
};
