/** Bar charts of data_visualization blocks, with a legend and every value as a tooltip. */
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { DataVisualizationBlock, SeriesChart } from '../../../shared/block-kit/data-visualization.ts';

const colours = ['#1d9bd1', '#e01e5a', '#2eb67d', '#ecb22e', '#7c3085', '#de7e34'];
const [width, height, left, bottom, top] = [600, 240, 52, 208, 10];

export function drawChart({ title, chart }: DataVisualizationBlock): VNode {
  if (chart.type !== 'bar')
    return html`<div class="stand-in">A chart of type <code>${chart.type}</code> is not drawn.</div>`;
  return html`<figure class="chart">
    <figcaption><b>${title}</b></figcaption>
    ${drawSeries(chart, title)}
    <ul class="chart-legend">
      ${chart.series.map(({ name }, at) => html`<li><span class="chart-key" style=${`background:${colourOf(at)}`}></span>${name}</li>`)}
    </ul>
  </figure>`;
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? '';
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
  const { categories } = chart.axis_config;
  const scale = scaleOf(chart);
  const column = (width - left) / categories.length;
  const every = Math.ceil(categories.length / 10);
  return html`<svg class="chart-plot" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`bar chart: ${title}`}>
    ${scale.ticks.map(
      (tick) => html`<line class="chart-grid" x1=${left} x2=${width} y1=${scale.y(tick)} y2=${scale.y(tick)} />
        <text class="chart-label" x=${left - 8} y=${scale.y(tick) + 4} text-anchor="end">${compact.format(tick)}</text>`,
    )}
    ${chart.series.map((_, at) => drawBars(chart, at, scale, column))}
    ${categories.map((category, at) =>
      at % every === 0
        ? html`<text class="chart-label" x=${left + (at + 0.5) * column} y=${bottom + 23} text-anchor="middle">${category}</text>`
        : null,
    )}
  </svg>`;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Bars of several series are side by side, in the order of the categories. */
function drawBars({ series, axis_config: { categories } }: SeriesChart, at: number, { y }: Scale, column: number) {
  const values = new Map(series[at]?.data.map(({ label, value }) => [label, value]));
  const barWidth = (column * 0.76) / series.length;
  return categories.map((label, index) => {
    const value = values.get(label) ?? 0;
    const x = left + (index + 0.12) * column + at * barWidth;
    const [from, to] = [Math.min(y(0), y(value)), Math.max(y(0), y(value))];
    return html`<rect x=${x} y=${from} width=${barWidth} height=${to - from} fill=${colourOf(at)}>
      <title>${`${series[at]?.name}, ${label}: ${value}`}</title>
    </rect>`;
  });
}
