/** One step of the timeline's picture: what it was in a line of text, and under it when it was as a bar. */
import { drawable, fitted, fittedEnds, textWidth } from './font.ts';
import { margin, right, sizes, width } from './layout.ts';
import { ink, looks, marker } from './palette.ts';
import { element, rectangle, type Svg, text } from './svg.ts';
import { type NumberedStep, outcomeOf } from './timeline-facts.ts';

/** How much room a step takes, and a named wait. */
export type Density = { readonly row: number; readonly barTop: number; readonly bar: number; readonly gap: number };

/** The scale of time, from milliseconds to units, and the room for a row. */
export type Frame = { readonly x: (ms: number) => number; readonly totalMs: number; readonly density: Density };

/** Of the mark at the failing step. */
export const edgeWidth = 12;
const barMin = 8;
/** What a long name leaves to the method. */
const methodRoom = 170;

/** @returns the row of one step, its top edge at `top` */
export function stepRow(step: NumberedStep, top: number, frame: Frame): readonly Svg[] {
  const { row } = frame.density;
  const mark = [
    rectangle(0, top, width, row, { fill: ink.tint }),
    rectangle(0, top, edgeWidth, row, { fill: ink.failed }),
  ];
  return [
    ...(step.isFailing ? mark : []),
    ...caption(step, top, frame.totalMs),
    ...bar(step, top + frame.density.barTop, frame),
  ];
}

/** Marker, number and name on the left, the method after it; state and length on the right. */
function caption(step: NumberedStep, top: number, totalMs: number): readonly Svg[] {
  const baseline = top + 34;
  const grey = { size: sizes.body, fill: ink.grey };
  const outcome = outcomeOf(step, totalMs);
  const edge = right - textWidth(outcome, sizes.body) - 24;
  const numberX = margin + 42;
  const nameX = numberX + textWidth(String(step.number), sizes.name) + 14;
  const method = step.method === null ? '' : drawable(step.method);
  const reserved = method === '' ? 0 : Math.min(methodRoom, textWidth(method, sizes.body)) + 16;
  const name = fittedEnds(drawable(step.capability), sizes.name, edge - nameX - reserved);
  const methodX = nameX + textWidth(name, sizes.name) + 16;
  return [
    marker(margin, top + 10, step.state),
    text(numberX, baseline, String(step.number), { ...grey, size: sizes.name }),
    text(nameX, baseline, name, { size: sizes.name, fill: ink.dark }),
    ...(method === '' ? [] : [text(methodX, baseline, fitted(method, sizes.body, edge - methodX), grey)]),
    text(right, baseline, outcome, {
      size: sizes.body,
      fill: step.state === 'failed' ? ink.failed : ink.dark,
      anchor: 'end',
    }),
  ];
}

/** A step without an end is open where the scale ends: an arrow. */
function bar(step: NumberedStep, y: number, { x, density }: Frame): readonly Svg[] {
  const { fill, stroke, dash } = looks[step.state];
  const isOpen = step.state === 'running' || step.state === 'unfinished';
  const from = Math.min(x(step.startMs), right - barMin);
  const to = Math.max(from + barMin, x(step.endMs));
  const height = density.bar;
  const style = { fill, stroke, 'stroke-width': 3, 'stroke-dasharray': dash, 'stroke-linejoin': 'round' };
  const neck = to - Math.min(18, to - from);
  const shape = isOpen
    ? element('path', { d: arrow(from, neck, to, y, height), ...style })
    : rectangle(from + 1.5, y + 1.5, to - from - 3, height - 3, { rx: 3, ...style });
  return step.isOnCriticalPath ? [shape, rectangle(from, y + height + 3, to - from, 5, { fill: ink.dark })] : [shape];
}

function arrow(from: number, neck: number, tip: number, y: number, height: number): string {
  const points = [
    [from, y],
    [neck, y],
    [tip, y + height / 2],
    [neck, y + height],
    [from, y + height],
  ];
  return `M${points.map((point) => point.map((value) => value.toFixed(1)).join(' ')).join('L')}Z`;
}
