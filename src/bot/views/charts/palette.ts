/** Colours and shapes of the charts. Every state has a shape and a label beside its colour. */
import type { CallState } from '../../insight/executions/timeline.ts';
import { element, line, rectangle, type Svg } from './svg.ts';

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

/** The marker of a state with its top left corner at (x, y). */
export function marker(x: number, y: number, state: CallState): Svg {
  return element('g', { transform: `translate(${x} ${y})` }, looks[state].sign);
}

/** A line of the grid. */
export function gridLine(x1: number, y1: number, x2: number, y2: number): Svg {
  return line(x1, y1, x2, y2, { stroke: ink.grid, 'stroke-width': 2 });
}
