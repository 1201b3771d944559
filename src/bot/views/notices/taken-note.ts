/** Says which workflow was taken for what a person typed. */
import type { RichTextElement } from '@slack/types';
import { bold, plain, rich } from '../blocks/rich-text.ts';

/** @param takenFor what was typed, when another name was taken for it; else null */
export function matchedNameNote(name: string, takenFor: string | null): readonly RichTextElement[] {
  return takenFor === null ? [] : rich`\nTook ${bold(name)} for “${plain(takenFor)}”.`;
}
