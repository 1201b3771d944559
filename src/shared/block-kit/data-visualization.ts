/** Slack's block of a bar chart: its type, its schema, and the rules between its members. */
import type { KnownBlock } from '@slack/types';
import { isRecord, type JsonRecord } from '../json.ts';
import { limits } from './limits.ts';
import { anyNumber, type BlockProblem, type Entry, entry, list, record, string } from './schema.ts';

/** https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block; not in @slack/types 3.2. */
export type DataVisualizationBlock = {
  readonly type: 'data_visualization';
  readonly block_id?: string;
  readonly title: string;
  readonly chart: BarChart;
};

/** Every block that a message may have. */
export type MessageBlock = KnownBlock | DataVisualizationBlock;

type Point = { readonly label: string; readonly value: number };

type BarChart = {
  readonly type: 'bar';
  readonly series: readonly { readonly name: string; readonly data: readonly Point[] }[];
  readonly axis_config: {
    /** The labels of the points of every series, in their order. */
    readonly categories: readonly string[];
    readonly x_label?: string;
    readonly y_label?: string;
  };
};

const { titleUnitsMax, nameUnitsMax, axisUnitsMax, seriesMax, pointsMax } = limits.dataVisualization;

const point = record({ required: { label: string(nameUnitsMax), value: anyNumber } });
const axisLabel = string(axisUnitsMax);

export const chart: Entry = {
  surfaces: ['message', 'home'],
  required: {
    series: list(record({ required: { name: string(nameUnitsMax), data: list(point, pointsMax) } }), seriesMax),
    axis_config: record({
      required: { categories: list(string(nameUnitsMax), pointsMax) },
      optional: { x_label: axisLabel, y_label: axisLabel },
    }),
  },
};

export const dataVisualization: Entry = {
  surfaces: chart.surfaces,
  required: { title: string(titleUnitsMax), chart: entry('parts', 'bar') },
};

/** @param block valid by its schema @param pointer of the block */
export function chartProblems(block: JsonRecord, pointer: string): readonly BlockProblem[] {
  const chart = block['chart'];
  if (block['type'] !== dataVisualizationType || !isRecord(chart)) return [];
  const series = recordsOf(chart['series']);
  const axis = chart['axis_config'];
  const categories = sorted(isRecord(axis) ? axis['categories'] : []);
  const uneven = series.findIndex(({ data }) => sorted(recordsOf(data).map(({ label }) => label)) !== categories);
  const isRepeated = new Set(series.map(({ name }) => name)).size < series.length;
  return [
    ...(uneven < 0
      ? []
      : [{ pointer: `${pointer}/chart/series/${uneven}/data`, reason: 'must have one point for each category' }]),
    ...(isRepeated ? [{ pointer: `${pointer}/chart/series`, reason: 'must have unique names' }] : []),
  ];
}

export const dataVisualizationType: DataVisualizationBlock['type'] = 'data_visualization';

function recordsOf(items: unknown): readonly JsonRecord[] {
  return Array.isArray(items) ? items.filter((item) => isRecord(item)) : [];
}

/** One text for a set of labels. */
function sorted(labels: unknown): string {
  return Array.isArray(labels) ? JSON.stringify(labels.toSorted()) : '';
}
