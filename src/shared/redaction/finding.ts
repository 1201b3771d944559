/** A stretch of text that has to be masked, and what it seems to be. */
import type { Kind } from './marks.ts';

export type Finding = {
  readonly kind: Kind;
  /** Units from the start of the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
};
