/** Successes and failures over time as a chart: one stacked bar a day, or for several days together. */
import { count } from '../format/number.ts';
import { type ActivityPicture, activitySummary, type Bin, binLabel, binsOf } from './activity-bins.ts';
import { countTicks } from './axis.ts';
import { drawable, fitted, textWidth } from './font.ts';
import { gridLine, ink, looks, patterns } from './palette.ts';
import { margin, rectangle, right, type Svg, sizes, svgDocument, text, width } from './svg.ts';

const plotTop = 220;
const plotBottom = 720;
const height = 790;
/** Height without bars: the title and a note. */
const emptyHeight = 150;
const ticksMax = 5;
/** Minimum height of a segment that is not empty. */
const segmentMin = 5;
/** Larger numbers are rounded; the alternative text has the exact ones. */
const exactMax = 99_999;
/** Gap between two upright numbers, one above the other. */
const gap = '  ';
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

type Counts = Pick<Bin, 'succeeded' | 'failed'>;

/** Layout of the bars: columns side by side from `left`, and the height of a count. */
type Plot = {
  readonly left: number;
  readonly columnWidth: number;
  readonly y: (value: number) => number;
  readonly fit: Fit;
};

/** A bar's numbers are beside the next ones, upright, or only those of failures. */
type Fit = 'beside' | 'upright' | 'failures';
/** In narrower columns two upright numbers are unreadable. */
const bothWidthMin = 44;

/**
 * Reads no clock and no randomness. The title comes from outside and is cut, boxed and escaped here.
 * @returns SVG of 800 by 632 pixels with at most 31 bars; more buckets are combined, which its text states
 */
export function activitySvg({ title, buckets, zone = 'UTC' }: ActivityPicture): string {
  const bins = binsOf(buckets);
  if (bins.length === 0) return svgDocument(width, emptyHeight, head(title, bins, zone));
  const most = bins.reduce((high, { succeeded, failed }) => Math.max(high, succeeded + failed), 0);
  const ticks = countTicks(most, ticksMax);
  const plot = plotOf(bins, ticks);
  return svgDocument(width, height, [
    patterns,
    ...head(title, bins, zone),
    ...key(),
    ...ticks.flatMap((tick) => [
      gridLine(plot.left, plot.y(tick), right, plot.y(tick)),
      text(plot.left - 14, plot.y(tick) + 10, figure(tick), { size: sizes.body, fill: ink.grey, anchor: 'end' }),
    ]),
    ...bins.flatMap((bin, index) => column(bin, plot.left + (index + 0.5) * plot.columnWidth, plot)),
    ...dayLabels(bins, plot, zone),
  ]);
}

function plotOf(bins: readonly Bin[], ticks: readonly number[]): Plot {
  const left = margin + Math.max(...ticks.map((tick) => textWidth(figure(tick), sizes.body))) + 14;
  const columnWidth = (right - left) / Math.max(1, bins.length);
  const fit = fitOf(bins, columnWidth);
  // Room above the highest bar for its numbers.
  const upright = Math.max(0, ...bins.map((bin) => textWidth(written(bin, fit).join(gap), sizes.body)));
  const top = plotTop + (fit === 'beside' ? 76 : upright + 20);
  const end = ticks.at(-1) ?? 1;
  return { left, columnWidth, fit, y: (value) => plotBottom - (value / end) * (plotBottom - top) };
}

function fitOf(bins: readonly Bin[], columnWidth: number): Fit {
  const widest = Math.max(0, ...bins.flatMap(figures).map((words) => textWidth(words, sizes.body)));
  if (widest < columnWidth - 8) return 'beside';
  return columnWidth < bothWidthMin ? 'failures' : 'upright';
}

function head(title: string, bins: readonly Bin[], zone: string): readonly Svg[] {
  const { totals, span } = activitySummary(bins, zone);
  const style = { size: sizes.body, fill: ink.grey };
  const words = (line: string) => fitted(line, sizes.body, right - margin);
  return [
    text(margin, 58, fitted(drawable(title), sizes.title, right - margin), { size: sizes.title, fill: ink.dark }),
    text(margin, 104, words(totals), style),
    text(margin, 142, words(span), style),
  ];
}

function key(): readonly Svg[] {
  return [
    rectangle(margin, 166, 40, 28, { fill: looks.succeeded.fill }),
    text(margin + 54, 190, 'succeeded', { size: sizes.body, fill: ink.dark }),
    rectangle(margin + 230, 166, 40, 28, { fill: looks.failed.fill }),
    text(margin + 284, 190, '× failed', { size: sizes.body, fill: ink.failed }),
  ];
}

/** Failures are at the bottom, so that they can be compared. */
function column({ succeeded, failed }: Bin, middle: number, plot: Plot): readonly Svg[] {
  const barWidth = Math.min(plot.columnWidth * 0.72, 120);
  const left = middle - barWidth / 2;
  const failedTop = failed === 0 ? plotBottom : Math.min(plot.y(failed), plotBottom - segmentMin);
  const top = succeeded === 0 ? failedTop : Math.min(plot.y(failed + succeeded), failedTop - segmentMin);
  return [
    ...(failed === 0 ? [] : [barSegment(left, failedTop, barWidth, plotBottom, looks.failed.fill)]),
    ...(succeeded === 0 ? [] : [barSegment(left, top, barWidth, failedTop, looks.succeeded.fill)]),
    ...numbers({ succeeded, failed }, middle, top - 12, plot),
  ];
}

function barSegment(left: number, top: number, barWidth: number, bottom: number, fill: string): Svg {
  return rectangle(left, top, barWidth, bottom - top, { fill });
}

/** Numbers above the bar, with the failures beside it. */
function numbers(counts: Counts, middle: number, bottom: number, { fit }: Plot): readonly Svg[] {
  const words = written(counts, fit).toReversed();
  const style = (word: string) => ({ size: sizes.body, fill: fillOf(word, counts) });
  if (fit === 'beside') {
    return words.map((word, index) => text(middle, bottom - index * 34, word, { ...style(word), anchor: 'middle' }));
  }
  return words.map((word, index) => {
    const below = textWidth(
      words
        .slice(0, index)
        .map((each) => each + gap)
        .join(''),
      sizes.body,
    );
    return text(middle + 10, bottom - below, word, { ...style(word), rotation: -90 });
  });
}

function fillOf(word: string, { succeeded, failed }: Counts): string {
  if (word.startsWith('×')) return ink.failed;
  return succeeded + failed === 0 ? ink.grey : ink.dark;
}

/** A bar without runs always shows 0. */
function written(counts: Counts, fit: Fit): readonly string[] {
  const words = figures(counts);
  return fit === 'failures' && counts.succeeded > 0 ? words.slice(1) : words;
}

/** @returns the successes, and the failures if there are any */
function figures({ succeeded, failed }: Counts): readonly string[] {
  return failed === 0 ? [figure(succeeded)] : [figure(succeeded), `×${figure(failed)}`];
}

function figure(value: number): string {
  return value > exactMax ? compact.format(value) : count(value);
}

/** As many labels as fit, evenly spaced, always with the newest. */
function dayLabels(bins: readonly Bin[], { left, columnWidth }: Plot, zone: string): readonly Svg[] {
  const labels = bins.map((bin) => binLabel(bin, bins, zone));
  const widest = Math.max(0, ...labels.map((label) => textWidth(label, sizes.body)));
  const every = Math.max(1, Math.ceil((widest + 20) / columnWidth));
  return labels.flatMap((label, index) => {
    if ((labels.length - 1 - index) % every !== 0) return [];
    const half = textWidth(label, sizes.body) / 2;
    const middle = Math.min(Math.max(left + (index + 0.5) * columnWidth, margin + half), width - 8 - half);
    return [text(middle, plotBottom + 42, label, { size: sizes.body, fill: ink.dark, anchor: 'middle' })];
  });
}
