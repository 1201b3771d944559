/** The picture of one execution’s timeline, as SVG, and its alternative text within Slack’s limit for an uploaded file. */

import { limits } from '../../../shared/block-kit/limits.ts';
import type { Gap, Timeline } from '../../insight/executions/timeline.ts';
import { counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { preciseDuration } from '../format/time.ts';
import {
  drawable,
  element,
  fitted,
  fittedEnds,
  ink,
  line,
  looks,
  margin,
  patterns,
  rectangle,
  right,
  type Svg,
  sizes,
  svgDocument,
  text,
  textWidth,
  width,
} from './svg.ts';
import {
  byWeight,
  type ChartedCall,
  failingNote,
  leftOut,
  outcomeOf,
  shownCalls,
  summaryOf,
  type TimelinePicture,
} from './timeline-facts.ts';

const headHeight = 216;
const ticksMax = 6;

/** With many steps the bars are thinner, and waits show only as bands. */
const roomy: Density = { row: 84, barTop: 46, bar: 24, gap: 46 };
const dense: Density = { row: 66, barTop: 41, bar: 14, gap: 0 };
const roomyCallsMax = 30;
/** A shorter wait shows as a band, without words. */
const namedGapShare = 0.04;

type Row = { readonly at: number; readonly height: number; readonly draw: (top: number) => readonly Svg[] };

/**
 * Reads no clock and no randomness. Names come from outside and are cut, boxed and escaped here.
 * @returns SVG of 800 pixels in width, as high as its rows need: about 900 for 8 steps, at most 5,600
 */
export function timelineSvg({ title, timeline }: TimelinePicture): string {
  const shown = shownCalls(timeline);
  const totalMs = Math.max(1, timeline.totalMs);
  const x = (ms: number) => margin + (Math.min(ms, totalMs) / totalMs) * (right - margin);
  const frame: Frame = { x, totalMs, density: shown.length > roomyCallsMax ? dense : roomy };
  const rows = rowsOf(shown, timeline.gaps, frame);
  const bottom = headHeight + rows.reduce((sum, { height }) => sum + height, 0);
  const notes = notesOf(shown, timeline);
  const isEmpty = shown.length === 0;
  const scale = isEmpty ? [] : [...timeline.gaps.map((gap) => band(gap, bottom, frame)), ...axis(bottom, frame)];
  return svgDocument(width, isEmpty ? headHeight - 40 : bottom + 60 + notes.length * 42, [
    patterns,
    ...head(title, timeline),
    ...scale,
    ...stacked(rows),
    ...notes.map((note, index) => noteLine(note, bottom + 88 + index * 42)),
  ]);
}

function stacked(rows: readonly Row[]): readonly Svg[] {
  let bottom = headHeight;
  return rows.flatMap(({ height, draw }) => {
    bottom += height;
    return draw(bottom - height);
  });
}

function head(title: string, timeline: Timeline): readonly Svg[] {
  const facts = summaryOf(timeline).map((fact) => fitted(fact, sizes.body, right - margin));
  return [
    text(margin, 58, fitted(drawable(title), sizes.title, right - margin), { size: sizes.title, fill: ink.dark }),
    ...facts.map((fact, index) => text(margin, 104 + index * 38, fact, { size: sizes.body, fill: ink.grey })),
  ];
}

function axis(bottom: number, { x, totalMs }: Frame): readonly Svg[] {
  return timeTicks(totalMs).flatMap(({ value, label }) => {
    const half = textWidth(label, sizes.body) / 2;
    const middle = Math.min(Math.max(x(value), margin + half), right - half);
    const style = { size: sizes.body, fill: ink.grey, anchor: 'middle' } as const;
    return [
      line(x(value), headHeight - 14, x(value), bottom + 8, { stroke: ink.grid, 'stroke-width': 2 }),
      text(middle, headHeight - 24, label, style),
      text(middle, bottom + 40, label, style),
    ];
  });
}

function band({ startMs, durationMs }: Gap, bottom: number, { x }: Frame): Svg {
  const from = x(startMs);
  return rectangle(from, headHeight, Math.max(2, x(startMs + durationMs) - from), bottom - headHeight, {
    fill: ink.faint,
  });
}

/** Steps in their order, and between them the longer waits. */
function rowsOf(calls: readonly ChartedCall[], gaps: readonly Gap[], frame: Frame): readonly Row[] {
  const { density, totalMs } = frame;
  if (calls.length === 0) return [];
  const named = density.gap === 0 ? [] : gaps.filter(({ durationMs }) => durationMs >= totalMs * namedGapShare);
  const rows: readonly Row[] = [
    ...named.map((gap) => ({ at: gap.startMs, height: density.gap, draw: (top: number) => wait(gap, top, frame) })),
    ...calls.map((call) => ({
      at: call.startMs,
      height: density.row,
      draw: (top: number) => callRow(call, top, frame),
    })),
  ];
  return rows.toSorted((one, other) => one.at - other.at);
}

function wait({ startMs, durationMs }: Gap, top: number, { x, density }: Frame): readonly Svg[] {
  const [from, to] = [x(startMs), x(startMs + durationMs)];
  const y = top + density.gap / 2;
  const stroke = { stroke: ink.grey, 'stroke-width': 3 };
  return [
    line(from, y, to, y, { ...stroke, 'stroke-dasharray': '3 9', 'stroke-linecap': 'round' }),
    line(from, y - 9, from, y + 9, stroke),
    line(to, y - 9, to, y + 9, stroke),
    ...waitLabel(`waiting ${preciseDuration(durationMs)}`, from, to, y),
  ];
}

/** Placed after the wait if there is room, else before it, else on it. */
function waitLabel(label: string, from: number, to: number, y: number): readonly Svg[] {
  const style = { size: sizes.body, fill: ink.grey };
  const room = textWidth(label, sizes.body) + 16;
  if (to + room < right) return [text(to + 16, y + 10, label, style)];
  if (from - room > margin) return [text(from - 16, y + 10, label, { ...style, anchor: 'end' })];
  const middle = (from + to) / 2;
  return [
    rectangle(middle - room / 2, y - 20, room, 40, { fill: ink.faint }),
    text(middle, y + 10, label, { ...style, anchor: 'middle' }),
  ];
}

/** The legend of marks without words, and the number of steps that are not drawn. */
function notesOf(shown: readonly ChartedCall[], timeline: Timeline): readonly Note[] {
  const hasPath = shown.some((call) => call.isOnCriticalPath) && shown.length > 1;
  const left = leftOut(timeline, shown);
  return [
    ...(timeline.failing ? [{ words: failingNote(timeline.failing), key: failingKey }] : []),
    ...(hasPath
      ? [
          {
            words: 'critical path as the times suggest',
            key: (y: number) => rectangle(margin, y - 12, 48, 5, { fill: ink.dark }),
          },
        ]
      : []),
    ...(left === undefined ? [] : [{ words: left }]),
  ];
}

type Note = { readonly words: string; readonly key?: (y: number) => Svg };

function failingKey(y: number): Svg {
  const tint = rectangle(margin, y - 25, 48, 32, { fill: ink.tint });
  return element('g', {}, tint, rectangle(margin, y - 25, edgeWidth, 32, { fill: ink.failed }));
}

function noteLine({ words, key }: Note, y: number): Svg {
  const x = key ? margin + 64 : margin;
  const written = text(x, y, fitted(words, sizes.body, right - x), { size: sizes.body, fill: ink.grey });
  return key ? element('g', {}, key(y), written) : written;
}

/** Heights of a step and of a named wait. */
type Density = { readonly row: number; readonly barTop: number; readonly bar: number; readonly gap: number };

/** The time scale, from milliseconds to units, and the height of a row. */
type Frame = { readonly x: (ms: number) => number; readonly totalMs: number; readonly density: Density };

/** Width of the mark at the failing step. */
const edgeWidth = 12;
const barMin = 8;
/** Width reserved for the method beside a long name. */
const methodRoom = 170;

/** @returns the row of one step, its top edge at `top` */
function callRow(call: ChartedCall, top: number, frame: Frame): readonly Svg[] {
  const { row } = frame.density;
  const mark = [
    rectangle(0, top, width, row, { fill: ink.tint }),
    rectangle(0, top, edgeWidth, row, { fill: ink.failed }),
  ];
  return [
    ...(call.isFailing ? mark : []),
    ...caption(call, top, frame.totalMs),
    ...bar(call, top + frame.density.barTop, frame),
  ];
}

/** Marker, number and name on the left, the method after it; state and length on the right. */
function caption(call: ChartedCall, top: number, totalMs: number): readonly Svg[] {
  const baseline = top + 34;
  const grey = { size: sizes.body, fill: ink.grey };
  const outcome = outcomeOf(call, totalMs);
  const edge = right - textWidth(outcome, sizes.body) - 24;
  const numberX = margin + 42;
  const nameX = numberX + textWidth(String(call.number), sizes.name) + 14;
  const method = call.method === null ? '' : drawable(call.method);
  const reserved = method === '' ? 0 : Math.min(methodRoom, textWidth(method, sizes.body)) + 16;
  const name = fittedEnds(drawable(call.capability), sizes.name, edge - nameX - reserved);
  const methodX = nameX + textWidth(name, sizes.name) + 16;
  return [
    element('g', { transform: `translate(${margin} ${top + 10})` }, looks[call.state].sign),
    text(numberX, baseline, String(call.number), { ...grey, size: sizes.name }),
    text(nameX, baseline, name, { size: sizes.name, fill: ink.dark }),
    ...(method === '' ? [] : [text(methodX, baseline, fitted(method, sizes.body, edge - methodX), grey)]),
    text(right, baseline, outcome, {
      size: sizes.body,
      fill: call.state === 'failed' ? ink.failed : ink.dark,
      anchor: 'end',
    }),
  ];
}

/** A step without an end is drawn as an arrow to the end of the scale; one with an impossible start has no place on it. */
function bar(call: ChartedCall, y: number, { x, density }: Frame): readonly Svg[] {
  if (call.timeFault?.time === 'start') return [];
  const { fill, stroke, dash } = looks[call.state];
  const isOpen = call.state === 'running' || call.state === 'unfinished';
  const from = Math.min(x(call.startMs), right - barMin);
  const to = Math.max(from + barMin, x(call.endMs));
  const height = density.bar;
  const style = { fill, stroke, 'stroke-width': 3, 'stroke-dasharray': dash, 'stroke-linejoin': 'round' };
  const neck = to - Math.min(18, to - from);
  const shape = isOpen
    ? element('path', { d: arrow(from, neck, to, y, height), ...style })
    : rectangle(from + 1.5, y + 1.5, to - from - 3, height - 3, { rx: 3, ...style });
  return call.isOnCriticalPath ? [shape, rectangle(from, y + height + 3, to - from, 5, { fill: ink.dark })] : [shape];
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

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const timeSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((step) => step * secondMs),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * minuteMs),
  ...[1, 2, 3, 6, 12].map((step) => step * hourMs),
];

/** @param totalMs above 0 @returns ticks from 0, at most `ticksMax` after it */
function timeTicks(totalMs: number): readonly { readonly value: number; readonly label: string }[] {
  const stepMs = timeSteps.find((step) => totalMs / step <= ticksMax) ?? decimalStep(totalMs / dayMs) * dayMs;
  return Array.from({ length: Math.floor(totalMs / stepMs) + 1 }, (_, index) => {
    const value = index * stepMs;
    return { value, label: timeLabel(value, stepMs, totalMs) };
  });
}

function timeLabel(ms: number, stepMs: number, totalMs: number): string {
  if (ms === 0) return '0';
  if (totalMs < secondMs) return `${ms} ms`;
  if (stepMs < minuteMs) return `${ms / secondMs} s`;
  if (stepMs < hourMs) return `${ms / minuteMs} min`;
  return stepMs < dayMs ? `${ms / hourMs} h` : `${ms / dayMs} d`;
}

/** 1, 2 or 5 times a power of ten, at least 1. */
function decimalStep(most: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(most / ticksMax)));
  return [1, 2, 5].map((step) => step * power).find((step) => most / step <= ticksMax) ?? 10 * power;
}

const nameUnitsMax = 80;

/** @returns the content of timelineSvg as plain text, not mrkdwn: as many steps as fit, and the count of the rest */
export function timelineAlt({ title, timeline }: TimelinePicture): string {
  const [lengths, states] = summaryOf(timeline);
  const failing = timeline.failing ? ` ${sentence(failingNote(timeline.failing))}` : '';
  const head = `Timeline of ${outsideLine(title, nameUnitsMax)}: ${lengths}. ${sentence(states)}${failing}`;
  const total = timeline.calls.length;
  const rest = (fit: number) => (fit === total ? '' : ` ${counted(total - fit, 'more step')} left out.`);
  let room = limits.file.altUnitsMax - head.length - rest(0).length;
  const fit = byWeight(shownCalls(timeline))
    .map((call) => ({ order: call.number, words: callWords(call, timeline.totalMs) }))
    .filter(({ words }) => {
      room -= words.length + 2;
      return room >= 0;
    });
  const steps = fit.toSorted((one, other) => one.order - other.order).map(({ words }) => ` ${words}.`);
  return `${head}${steps.join('')}${rest(fit.length)}`;
}

function callWords(call: ChartedCall, totalMs: number): string {
  const method = call.method === null ? '' : ` ${outsideLine(call.method, nameUnitsMax)}`;
  const outcome = outcomeOf(call, totalMs).replace(' · ', ' ');
  const from = call.timeFault?.time === 'start' ? '' : ` from ${preciseDuration(call.startMs)}`;
  return `${call.number}. ${outsideLine(call.capability, nameUnitsMax)}${method}${from}: ${outcome}`;
}

function sentence(words: string): string {
  const capital = words.charAt(0).toUpperCase() + words.slice(1);
  return capital.endsWith('.') ? capital : `${capital}.`;
}
