/**
 * Slack's limits of blocks and elements, as its documentation states them: docs.slack.dev/reference/block-kit/blocks,
 * /block-elements and /composition-objects, one page each.
 */

/** Characters of a text, items of an array, or a number: at least, at most. */
export type Limit = readonly [min: number, max: number];

/** Limits by the path below the object; `*` is each item. */
export type Limits = Readonly<Record<string, Limit>>;

const many = Number.POSITIVE_INFINITY;

/** Every block, element and composition object may have these. */
export const commonLimits: Limits = {
  block_id: [1, 255],
  action_id: [1, 255],
  'placeholder.text': [1, 150],
  'confirm.title.text': [1, 100],
  'confirm.text.text': [1, 300],
  'confirm.confirm.text': [1, 30],
  'confirm.deny.text': [1, 30],
  'options.*.text.text': [1, 75],
  // The page of the option object says 150, the comment of @slack/types says 75.
  'options.*.value': [1, 150],
  'options.*.description.text': [1, 75],
  'option_groups.*.label.text': [1, 75],
  option_groups: [1, 100],
};

export const limitsByType: Readonly<Record<string, Limits>> = {
  // Blocks.
  actions: { elements: [1, 25] },
  card: { 'title.text': [1, 150], 'subtitle.text': [1, 150], 'body.text': [1, 200] },
  carousel: { elements: [1, 10] },
  container: { 'title.text': [1, 150], 'subtitle.text': [1, 150], child_blocks: [1, 10] },
  context: { elements: [1, 10] },
  context_actions: { elements: [1, 5] },
  data_table: { rows: [2, 200], 'rows.*': [1, 20], caption: [1, many], page_size: [1, 100] },
  data_visualization: {
    title: [1, 50],
    'chart.segments': [1, 12],
    'chart.segments.*.label': [1, 20],
    'chart.series': [1, 12],
    'chart.series.*.name': [1, 20],
    'chart.series.*.data': [1, 20],
    'chart.series.*.data.*.label': [1, 20],
    'chart.axis_config.categories': [1, 20],
    'chart.axis_config.categories.*': [1, 20],
    'chart.axis_config.x_label': [0, 50],
    'chart.axis_config.y_label': [0, 50],
  },
  header: { 'text.text': [1, 150] },
  image: { alt_text: [1, 2000], 'title.text': [1, 2000], image_url: [1, 3000] },
  input: { 'label.text': [1, 2000], 'hint.text': [1, 2000] },
  markdown: { text: [1, 12_000] },
  plan: { title: [1, many], tasks: [1, 50] },
  rich_text: { elements: [1, many] },
  section: { 'text.text': [1, 3000], fields: [1, 10], 'fields.*.text': [1, 2000] },
  table: { rows: [1, 100], 'rows.*': [1, 20], column_settings: [1, 20] },
  task_card: { task_id: [1, many], title: [1, many] },
  video: { 'title.text': [1, 199], author_name: [1, 49] },
  // Elements.
  button: { 'text.text': [1, 75], value: [1, 2000], url: [1, 3000], accessibility_label: [1, 75] },
  checkboxes: { options: [1, 10] },
  external_select: { min_query_length: [0, many] },
  file_input: { max_files: [1, 10] },
  multi_static_select: { options: [1, 100], max_selected_items: [1, many] },
  multi_external_select: { max_selected_items: [1, many] },
  multi_users_select: { max_selected_items: [1, many] },
  multi_conversations_select: { max_selected_items: [1, many] },
  multi_channels_select: { max_selected_items: [1, many] },
  overflow: { options: [1, 5] },
  plain_text_input: { initial_value: [0, 3000], min_length: [0, 3000], max_length: [1, 3000] },
  radio_buttons: { options: [1, 10] },
  static_select: { options: [1, 100] },
  // Texts.
  plain_text: { text: [1, 3000] },
  mrkdwn: { text: [1, 3000] },
  raw_text: { text: [1, many] },
  raw_number: { text: [1, many] },
  // Elements of rich text.
  text: { text: [1, many] },
  link: { url: [1, 3000] },
};

export const viewLimits: Limits = {
  // https://docs.slack.dev/reference/views
  blocks: [0, 100],
  'title.text': [1, 24],
  'submit.text': [1, 24],
  'close.text': [1, 24],
  private_metadata: [0, 3000],
  callback_id: [0, 255],
  external_id: [0, 255],
};

export type Surface = 'message' | 'modal' | 'home';

const anywhere: readonly Surface[] = ['message', 'modal', 'home'];
const messageOnly: readonly Surface[] = ['message'];
const messageAndHome: readonly Surface[] = ['message', 'home'];

/** The line “Available in surfaces” of each block's page. */
export const surfaces: Readonly<Record<string, readonly Surface[]>> = {
  actions: anywhere,
  alert: ['modal'],
  card: messageAndHome,
  carousel: messageAndHome,
  container: messageAndHome,
  context: anywhere,
  context_actions: messageOnly,
  data_table: messageAndHome,
  data_visualization: messageAndHome,
  divider: anywhere,
  // Apps cannot send it.
  file: [],
  header: anywhere,
  image: anywhere,
  input: anywhere,
  markdown: messageOnly,
  plan: messageOnly,
  rich_text: anywhere,
  section: anywhere,
  table: messageAndHome,
  task_card: messageOnly,
  video: anywhere,
};

export const messageLimits = {
  // https://docs.slack.dev/reference/block-kit/blocks
  blocks: 50,
  // https://docs.slack.dev/reference/methods/chat.postMessage#truncating
  textUnits: 40_000,
  // https://docs.slack.dev/reference/methods/chat.update#errors
  updateTextUnits: 4_000,
  // https://docs.slack.dev/reference/block-kit/blocks/table-block
  tables: 1,
  tableUnits: 10_000,
  dataTableUnits: 20_000,
  // https://docs.slack.dev/reference/block-kit/blocks/markdown-block
  markdownUnits: 12_000,
  // https://docs.slack.dev/changelog/2026/06/16/block-kit-data-visualization-block
  charts: 2,
  // Measured by others, of chat.postMessage and not of a response_url: https://github.com/slackapi/bolt-js/issues/2509. One
  // markdown block may have 13,297 characters, and 125 fewer beside a divider, which is more than its JSON.
  contentUnits: 13_400,
  containerUnits: 90,
} as const;
