/** SVG elements as text, and the sizes that all charts share. */
import { escapeMarkup } from '../../../shared/escape-markup.ts';
import { fontFamily } from './font.ts';

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

export type TextStyle = {
  readonly size: number;
  readonly fill: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Degrees clockwise about the text's own point. */
  readonly rotation?: number;
};

/** One line of text with its baseline at `y`. @param text literal; outside text comes from `drawable` */
export function text(x: number, y: number, literal: string, style: TextStyle): Svg {
  const { size, fill, anchor, rotation } = style;
  return element(
    'text',
    {
      x,
      y,
      'font-size': size,
      fill,
      'text-anchor': anchor === 'start' ? undefined : anchor,
      transform: rotation === undefined ? undefined : `rotate(${rotation} ${rounded(x)} ${rounded(y)})`,
    },
    { svg: escapeMarkup(literal) },
  );
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
