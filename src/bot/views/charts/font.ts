/** Measures text in the charts' font, so that layout needs no rasteriser. */
import { outsideLine } from '../format/outside-text.ts';

/** Inter Medium, the file that src/bot/rendering/rasterise.ts loads. */
export const fontFamily = 'Inter Medium';

/** Replaces a letter that the font lacks; the text beside the picture has it. */
const missing = '□';
/** Modern Latin, Greek and Cyrillic letters, digits, and the font's punctuation and signs; a test compares it with the font. */
const drawn =
  /^[ -~\u00a0-\u00ac\u00ae-\u0148\u014a-\u01c3\u01c5-\u024f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0479\u048a-\u049d\u04a0-\u04ff\u1e00-\u1e9b\u1e9d-\u1eff\u2010-\u2027\u2030-\u2053€←-↙−∞≈≠≤≥□✓]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Longest line that fits into a picture. */
const lineUnitsMax = 200;

/** Advance widths of U+0020 to U+007E in hundredths of the font's size, from its `hmtx` table. */
const asciiWidths = [
  27, 30, 49, 64, 65, 99, 65, 31, 37, 37, 52, 67, 30, 46, 30, 37, 65, 42, 62, 63, 66, 60, 63, 57, 63, 63, 30, 32, 67,
  67, 67, 53, 98, 71, 66, 73, 72, 60, 59, 75, 75, 27, 58, 69, 57, 91, 76, 77, 64, 77, 65, 65, 65, 74, 71, 100, 70, 70,
  64, 37, 37, 37, 48, 46, 34, 57, 62, 58, 62, 59, 38, 62, 60, 25, 25, 56, 25, 89, 60, 60, 62, 62, 39, 54, 34, 60, 58,
  83, 56, 58, 56, 44, 35, 44, 67,
] as const;
const digits = 62;

/**
 * Outside text for a picture: cleaned and masked, with a box for each character whose script the font lacks,
 * and without marks, except those that form one letter with theirs.
 */
export function drawable(text: string): string {
  const line = outsideLine(text, lineUnitsMax);
  return Array.from(graphemes.segment(line), ({ segment }) => drawn.exec(segment)?.[0] ?? missing).join('');
}

/** @param size of the font @returns an estimate in the same unit, exact for ASCII and generous for the rest */
export function textWidth(text: string, size: number): number {
  let hundredths = 0;
  for (const character of text) hundredths += characterWidth(character);
  return (hundredths * size) / 100;
}

function characterWidth(character: string): number {
  const ascii = asciiWidths[(character.codePointAt(0) ?? 0) - 0x20];
  if (ascii !== undefined) return ascii;
  if (/^\p{Ll}$/u.test(character)) return 76;
  return /^\p{P}$/u.test(character) ? digits + 20 : 100;
}

/** @returns text no wider than `width`, cut at its end with `…` */
export function fitted(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  return `${startWithin(text, size, width - textWidth('…', size)).trimEnd()}…`;
}

/** As `fitted`, but keeps the last third too: names of capabilities differ at their ends. */
export function fittedEnds(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const room = width - textWidth('…', size);
  const end = reversed(startWithin(reversed(text), size, room / 3));
  const start = startWithin(text, size, room - textWidth(end, size));
  return `${start.replace(/(?<![\s.])[\s.]+$/, '')}…${end.replace(/^[\s.]+/, '')}`;
}

function startWithin(text: string, size: number, width: number): string {
  let used = 0;
  let start = '';
  for (const character of text) {
    used += textWidth(character, size);
    if (used > width) break;
    start += character;
  }
  return start;
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}
