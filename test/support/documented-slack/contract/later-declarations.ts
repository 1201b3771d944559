/** Types that Slack documents and its SDK declares differently or not at all. */

type Amendment = {
  /** End of the declaring file's name. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
};

const amendments: readonly Amendment[] = [
  {
    // https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
    file: 'block-kit/blocks.d.ts',
    from: 'export type KnownBlock =',
    to: `
interface DataVisualizationBlock extends Block {
  type: 'data_visualization';
  title: string;
  chart: { type: 'pie'; segments: DataPoint[] } | SeriesChart;
}
interface DataPoint { label: string; value: number }
interface SeriesChart {
  type: 'bar' | 'area' | 'line';
  series: { name: string; data: DataPoint[] }[];
  axis_config: { categories: string[]; x_label?: string; y_label?: string };
}
export type KnownBlock = DataVisualizationBlock |`,
  },
  {
    // https://docs.slack.dev/reference/methods/files.getUploadURLExternal: the SDK's name for it is `alt_text`.
    file: 'request/files.d.ts',
    from: '    alt_text?: string;\n    /** @description Syntax',
    to: '    alt_txt?: string;\n    /** @description Syntax',
  },
];

/** @returns the declarations as Slack documents them. @throws Error if the SDK has changed a declaration */
export function amended(file: string, text: string): string {
  return amendments
    .filter((each) => file.endsWith(each.file))
    .reduce((declarations, { from, to }) => {
      if (!declarations.includes(from)) throw new Error(`${file} no longer declares “${from}”.`);
      return declarations.replace(from, () => to);
    }, text);
}
