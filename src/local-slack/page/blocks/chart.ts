/** Charts of data_visualization blocks: bars, lines, areas and pies, with a legend and every value as a tooltip. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { DataVisualizationBlock, SeriesChart, Slice } from '../../../shared/block-kit/data-visualization.ts';

const colours = ['#1d9bd1', '#e01e5a', '#2eb67d', '#ecb22e', '#7c3085', '#de7e34'];
const [width, height, left, bottom, top] = [600, 240, 52, 208, 10];

export function drawChart({ title, chart }: DataVisualizationBlock): VNode {
  const names = chart.type === 'pie' ? chart.segments.map(shareText) : chart.series.map(({ name }) => name);
  return html`<figure class="chart">
    <figcaption class="chart-title">${title}</figcaption>
    ${chart.type === 'pie' ? drawPie(chart.segments, title) : drawSeries(chart, title)}
    <ul class="chart-legend">
      ${names.map((name, at) => html`<li><span class="chart-key" style=${`background:${colourOf(at)}`}></span>${name}</li>`)}
    </ul>
  </figure>`;
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? '';
}

function shareText({ label, value }: Slice, _: number, all: readonly Slice[]): string {
  return `${label}: ${value} (${Math.round((100 * value) / totalOf(all))} %)`;
}

function totalOf(slices: readonly Slice[]): number {
  return slices.reduce((sum, { value }) => sum + value, 0);
}

/** The height of a value, and the values of the grid lines. */
type Scale = { readonly y: (value: number) => number; readonly ticks: readonly number[] };

function scaleOf({ series }: SeriesChart): Scale {
  const values = series.flatMap(({ data }) => data.map(({ value }) => value));
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = niceStep((high - low || 1) / 4);
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)];
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  return { ticks, y: (value) => bottom - ((value - first * step) / ((last - first) * step)) * (bottom - top) };
}

/** @returns 1, 2 or 5 times a power of ten */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

function drawSeries(chart: SeriesChart, title: string): VNode {
  const { categories, x_label: across, y_label: up } = chart.axis_config;
  const scale = scaleOf(chart);
  const column = (width - left) / categories.length;
  const every = Math.ceil(categories.length / 10);
  const labels = [across && `across: ${across}`, up && `up: ${up}`].filter(Boolean).join(', ');
  return html`<svg class="chart-plot" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`${chart.type} chart: ${title}`}>
    ${scale.ticks.map(
      (tick) => html`<line class="chart-grid" x1=${left} x2=${width} y1=${scale.y(tick)} y2=${scale.y(tick)} />
        <text class="chart-label" x=${left - 8} y=${scale.y(tick) + 4} text-anchor="end">${format(tick)}</text>`,
    )}
    ${chart.series.map((_, at) => (chart.type === 'bar' ? drawBars(chart, at, scale, column) : drawLine(chart, at, scale, column)))}
    ${categories.map((category, at) =>
      at % every === 0
        ? html`<text class="chart-label" x=${left + (at + 0.5) * column} y=${bottom + 23} text-anchor="middle">${category}</text>`
        : null,
    )}
    ${labels === '' ? null : html`<desc>${labels}</desc>`}
  </svg>`;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

function format(value: number): string {
  return compact.format(value);
}

/** The values of one series in the order of the categories. */
function pointsOf({ series, axis_config: { categories } }: SeriesChart, at: number) {
  const values = new Map(series[at]?.data.map(({ label, value }) => [label, value]));
  return categories.map((label) => ({ label, value: values.get(label) ?? 0 }));
}

/** Bars of several series are side by side. */
function drawBars(chart: SeriesChart, at: number, { y }: Scale, column: number): readonly VNode[] {
  const barWidth = (column * 0.76) / chart.series.length;
  return pointsOf(chart, at).map(({ label, value }, index) => {
    const x = left + (index + 0.12) * column + at * barWidth;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    return html`<rect x=${x} y=${from} width=${barWidth} height=${to - from} fill=${colourOf(at)}>
      <title>${`${chart.series[at]?.name}, ${label}: ${value}`}</title>
    </rect>`;
  });
}

function drawLine(chart: SeriesChart, at: number, { y }: Scale, column: number): VNode {
  const points = pointsOf(chart, at).map(({ value }, index) => `${left + (index + 0.5) * column},${y(value)}`);
  const ends = [left + column / 2, left + (points.length - 0.5) * column].map((x) => `${x},${y(0)}`);
  const area = html`<polygon points=${[ends[0], ...points, ends[1]].join(' ')} fill=${colourOf(at)} opacity="0.35" />`;
  return html`${chart.type === 'area' ? area : null}
    <polyline points=${points.join(' ')} fill="none" stroke=${colourOf(at)} stroke-width="2.5" />`;
}

/** Each slice is a thick arc of a circle whose circumference is 100. */
function drawPie(segments: readonly Slice[], title: string): VNode {
  const total = totalOf(segments);
  let turned = 0;
  return html`<svg class="chart-pie" viewBox="0 0 64 64" role="img" aria-label=${`pie chart: ${title}`}>
    ${segments.map(({ label, value }, at) => {
      const share = (100 * value) / total;
      turned += share;
      return html`<circle cx="32" cy="32" r="15.915" fill="none" stroke=${colourOf(at)} stroke-width="31.83"
        stroke-dasharray=${`${share} ${100 - share}`} stroke-dashoffset=${25 + share - turned}>
        <title>${`${label}: ${value}`}</title>
      </circle>`;
    })}
  </svg>`;
}
