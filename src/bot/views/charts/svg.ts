/** The parts of every picture: SVG elements, sizes, text measured in the charts’ font, colours and signs of states. */
import { escapeMarkup } from '../../../shared/escape-markup.ts';
import type { CallState } from '../../insight/executions/timeline.ts';
import { outsideLine } from '../format/outside-text.ts';

/** Markup from this module. */
export type Svg = { readonly svg: string };

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** @param attributes undefined ones are left out */
export function element(name: string, attributes: Attributes, ...children: readonly Svg[]): Svg {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escapeMarkup(value ?? '')}"`)
    .join('');
  const inside = children.map(({ svg }) => svg).join('');
  return { svg: inside === '' ? `<${name}${written}/>` : `<${name}${written}>${inside}</${name}>` };
}

type TextStyle = { readonly size: number; readonly fill: string; readonly anchor?: 'middle' | 'end' };

/** One line of text with its baseline at `y`. @param text literal; outside text comes from `drawable` */
export function text(x: number, y: number, literal: string, { size, fill, anchor }: TextStyle): Svg {
  const attributes = { x, y, 'font-size': size, fill, 'text-anchor': anchor };
  return element('text', attributes, { svg: escapeMarkup(literal) });
}

export function rectangle(x: number, y: number, width: number, height: number, attributes: Attributes): Svg {
  return element('rect', { x, y, width, height, ...attributes });
}

/** A straight line. */
export function line(x1: number, y1: number, x2: number, y2: number, attributes: Attributes): Svg {
  return element('path', { d: `M${rounded(x1)} ${rounded(y1)}L${rounded(x2)} ${rounded(y2)}`, ...attributes });
}

/** Pixels for one unit of layout: 1000 units are 800 pixels, sharp on a phone and a third less work than 1000 pixels. */
const pixelsPerUnit = 0.8;

/**
 * @param needed height in units; rounded up so that it is whole pixels too
 * @returns the whole picture on white; a dark theme shows it as a card
 */
export function svgDocument(width: number, needed: number, children: readonly Svg[]): string {
  const height = Math.ceil(needed / 5) * 5;
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    width: width * pixelsPerUnit,
    height: height * pixelsPerUnit,
    viewBox: `0 0 ${rounded(width)} ${rounded(height)}`,
    'font-family': fontFamily,
  };
  return element('svg', attributes, rectangle(0, 0, width, height, { fill: '#ffffff' }), ...children).svg;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export const width = 1000;
export const margin = 32;
/** Right edge of text and bars. */
export const right = width - margin;
export const sizes = { title: 40, body: 28, name: 30 } as const;

/** Inter Medium, the file that src/bot/rendering/rasterise.ts loads. */
const fontFamily = 'Inter Medium';

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

/** Text and lines on white; grey text has a contrast of at least 4.5. */
export const ink = {
  dark: '#1d1c1d',
  grey: '#5e5d60',
  grid: '#e2e2e5',
  faint: '#f4f4f6',
  failed: '#a53f00',
  tint: '#fdeee4',
} as const;

/** Okabe and Ito's palette, distinguishable with any colour vision: https://jfly.uni-koeln.de/color/ */
const hue = {
  green: '#009e73',
  vermillion: '#d55e00',
  orange: '#e69f00',
  blue: '#0072b2',
  sky: '#bfe3f7',
  grey: '#8a8a8f',
} as const;

type Look = {
  /** Fill of the bar: a colour or a pattern of `patterns`. */
  readonly fill: string;
  readonly stroke: string;
  readonly dash?: string;
  /** The sign inside the marker, drawn in a box of 28 by 28. */
  readonly sign: Svg;
};

const white = {
  stroke: '#ffffff',
  'stroke-width': 3.6,
  'stroke-linecap': 'round',
  'stroke-linejoin': 'round',
  fill: 'none',
};
const disc = (fill: string) => element('circle', { cx: 14, cy: 14, r: 14, fill });
const group = (...children: readonly Svg[]) => element('g', {}, ...children);

export const looks: Readonly<Record<CallState, Look>> = {
  succeeded: {
    fill: hue.green,
    stroke: hue.green,
    sign: group(disc(hue.green), element('path', { d: 'M7.5 14.5l4.5 4.5l8.5-9.5', ...white })),
  },
  failed: {
    fill: 'url(#failed)',
    stroke: hue.vermillion,
    sign: group(
      rectangle(0, 0, 28, 28, { rx: 4, fill: hue.vermillion }),
      element('path', { d: 'M8 8l12 12M20 8l-12 12', ...white }),
    ),
  },
  completed_with_errors: {
    fill: 'url(#errors)',
    stroke: hue.orange,
    sign: group(
      element('path', { d: 'M14 0L29 27H-1Z', fill: hue.orange, 'stroke-linejoin': 'round' }),
      element('path', { d: 'M14 10v8M14 22.6v.4', ...white, stroke: ink.dark }),
    ),
  },
  running: {
    fill: hue.sky,
    stroke: hue.blue,
    sign: group(disc(hue.blue), element('path', { d: 'M10.5 8.5v11l9-5.5z', fill: '#ffffff' })),
  },
  unfinished: {
    fill: '#e9e9ec',
    stroke: hue.grey,
    dash: '7 5',
    sign: group(disc(hue.grey), element('path', { d: 'M7 14h.3M14 14h.3M20.7 14h.3', ...white })),
  },
  unknown: {
    fill: '#d9d9dd',
    stroke: hue.grey,
    sign: group(disc(hue.grey), element('path', { d: 'M10 10.5c0-5 8-5 8 0c0 3-4 3-4 6M14 21.4v.2', ...white })),
  },
};

/** Stripes and dots, defined once in each picture. */
export const patterns = element(
  'defs',
  {},
  element(
    'pattern',
    { id: 'failed', width: 12, height: 12, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    rectangle(0, 0, 12, 12, { fill: hue.vermillion }),
    rectangle(0, 0, 4, 12, { fill: '#ffffff', 'fill-opacity': 0.75 }),
  ),
  element(
    'pattern',
    { id: 'errors', width: 12, height: 12, patternUnits: 'userSpaceOnUse' },
    rectangle(0, 0, 12, 12, { fill: hue.orange }),
    element('circle', { cx: 6, cy: 6, r: 2.6, fill: ink.dark }),
  ),
);
