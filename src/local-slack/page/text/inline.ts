/** The data model of formatted text, common to mrkdwn and rich text. */

export type Style = 'bold' | 'italic' | 'strike' | 'underline' | 'code';

export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'styled'; readonly style: Style; readonly children: readonly Inline[] }
  /** `url` has passed `safeUrl`. */
  | { readonly kind: 'link'; readonly url: string; readonly children: readonly Inline[] }
  | { readonly kind: 'emoji'; readonly name: string }
  | { readonly kind: 'user' | 'channel'; readonly id: string; readonly label: string }
  | { readonly kind: 'broadcast'; readonly range: string }
  | { readonly kind: 'date'; readonly date: DateToken };

export type DateToken = {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly format: string;
  /** Safe, or null for a date without a link. */
  readonly url: string | null;
  readonly fallback: string;
};

export type TextBlock =
  | { readonly kind: 'paragraph' | 'pre'; readonly children: readonly Inline[] }
  | { readonly kind: 'quote'; readonly children: readonly TextBlock[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      /** From 0 to 8. */
      readonly indent: number;
      readonly items: readonly (readonly Inline[])[];
    };

export function textNode(text: string): Inline {
  return { kind: 'text', text };
}

/** @returns the styled nodes; none for no nodes */
export function styled(style: Style, children: readonly Inline[]): readonly Inline[] {
  return children.length === 0 ? [] : [{ kind: 'styled', style, children }];
}
