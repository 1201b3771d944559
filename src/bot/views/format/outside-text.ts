/** Cleans, redacts and truncates text from outside. The result is literal text for plain_text and rich_text. */
import { shownBeginning, shownEnds } from '../../../shared/long-text.ts';
import { truncate, truncateMiddle } from './truncate.ts';

/** Text is read no further than this, so that a hostile megabyte costs little: blanks and masked values take more units than they show. */
const readUnitsMax = 32_000;

function readUnits(max: number): number {
  return Math.min(readUnitsMax, 4_000 + 8 * max);
}

/** @returns one line, at most `max` units; `(empty)` where nothing readable is left */
export function outsideLine(text: string, max: number): string {
  const line = oneLine(shownBeginning(text, readUnits(max)));
  return line === '' ? '(empty)' : truncate(line, max);
}

/** As `outsideLine`, keeping both ends of what is too long: for errors, whose end says what happened. */
export function outsideError(text: string, max: number): string {
  const line = oneLine(shownEnds(text, readUnits(max) / 2, readUnits(max) / 2));
  return line === '' ? '(empty)' : truncateMiddle(line, max);
}

/** Words with single spaces between them: most texts. */
const spacedLine = /^\S+(?: \S+)*$/;

function oneLine(text: string): string {
  return spacedLine.test(text) ? text : text.replace(/\s+/gu, ' ').trim();
}
