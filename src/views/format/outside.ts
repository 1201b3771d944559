/** The one door for text that is not ours: clean, redact, cut. What comes out is literal text for plain_text and rich_text. */
import { clean } from '../../core/clean.ts';
import { isMasking } from '../../core/masking.ts';
import { safeText } from '../../core/redact.ts';
import { cut, cutMiddle } from './cut.ts';

/** Longer text is not looked at beyond this many units, so that a hostile megabyte costs little. */
const inspectedUnitsMax = 40_000;

/** @returns one line, at most `max` units; `(empty)` where nothing readable is left */
export function outsideLine(text: string, max: number): string {
  const line = oneLine(safe(text));
  return line === '' ? '(empty)' : cut(line, max);
}

/** As `outsideLine`, keeping both ends of what is too long: for errors, whose end says what happened. */
export function outsideError(text: string, max: number): string {
  const line = oneLine(safe(bothEnds(text)));
  return line === '' ? '(empty)' : cutMiddle(line, max);
}

/** Words with single spaces between them: most texts. */
const spacedLine = /^\S+(?: \S+)*$/;

function oneLine(text: string): string {
  return spacedLine.test(text) ? text : text.replace(/\s+/gu, ' ').trim();
}

function bothEnds(text: string): string {
  const half = inspectedUnitsMax / 2;
  return text.length <= inspectedUnitsMax ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}

function safe(text: string): string {
  const inspected = text.slice(0, inspectedUnitsMax + 3);
  return isMasking() ? safeText(inspected) : clean(inspected);
}
