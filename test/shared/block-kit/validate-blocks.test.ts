/** Each of Slack's limits: a message at the limit passes, one above it is refused with its place. */
import { describe, expect, test } from 'vitest';
import { validateBlocks } from '../../../src/shared/block-kit/validate.ts';

type Block = Readonly<Record<string, unknown>>;
type Case = readonly [what: string, max: number, build: (n: number) => readonly Block[], pointer: string];

const x = (n: number) => 'x'.repeat(n);
const times = <T>(n: number, make: (index: number) => T) => Array.from({ length: n }, (_, index) => make(index));
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const button = (more: Block = {}) => ({ type: 'button', text: plain('Go'), ...more });
const option = (more: Block = {}, value = 'v') => ({ text: plain('One'), value, ...more });
const select = (more: Block = {}) => ({ type: 'static_select', options: [option()], ...more });
const inActions = (...elements: Block[]) => [{ type: 'actions', elements }];
const cell = (text = 'c') => ({ type: 'raw_text', text });
const task = (n: number) => ({ type: 'task_card', task_id: `${n}`, title: 't', status: 'complete' });
const address = (n: number) => `https://example.com/${x(n - 20)}`;
const input = (more: Block = {}) => ({
  type: 'input',
  label: plain('L'),
  element: { type: 'plain_text_input' },
  ...more,
});
const richText = (text = 'hi') => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});
const points = (labels: readonly string[]) => labels.map((label) => ({ label, value: 1 }));
const bars = (
  labels: readonly string[],
  { names = ['runs'], ...more }: Block & { names?: readonly string[] } = {},
) => ({
  type: 'data_visualization',
  title: 't',
  chart: {
    type: 'bar',
    series: names.map((name) => ({ name, data: points(labels) })),
    axis_config: { categories: labels },
  },
  ...more,
});
const cases: readonly Case[] = [
  ['blocks in a message', 50, (n) => times(n, () => ({ type: 'divider' })), '/blocks'],
  ['block_id', 255, (n) => [{ type: 'divider', block_id: x(n) }], '/blocks/0/block_id'],
  ['header', 150, (n) => [{ type: 'header', text: plain(x(n)) }], '/blocks/0/text/text'],
  ['section text', 3000, (n) => [{ type: 'section', text: mrkdwn(x(n)) }], '/blocks/0/text/text'],
  ['section fields', 10, (n) => [{ type: 'section', fields: times(n, () => plain('f')) }], '/blocks/0/fields'],
  ['section field', 2000, (n) => [{ type: 'section', fields: [mrkdwn(x(n))] }], '/blocks/0/fields/0/text'],
  ['context elements', 10, (n) => [{ type: 'context', elements: times(n, () => mrkdwn('c')) }], '/blocks/0/elements'],
  ['context text', 3000, (n) => [{ type: 'context', elements: [plain(x(n))] }], '/blocks/0/elements/0/text'],
  ['actions elements', 25, (n) => inActions(...times(n, () => button())), '/blocks/0/elements'],
  ['action_id', 255, (n) => inActions(button({ action_id: x(n) })), '/blocks/0/elements/0/action_id'],
  ['button text', 75, (n) => inActions(button({ text: plain(x(n)) })), '/blocks/0/elements/0/text/text'],
  ['button value', 2000, (n) => inActions(button({ value: x(n) })), '/blocks/0/elements/0/value'],
  ['button url', 3000, (n) => inActions(button({ url: address(n) })), '/blocks/0/elements/0/url'],
  [
    'button label',
    75,
    (n) => inActions(button({ accessibility_label: x(n) })),
    '/blocks/0/elements/0/accessibility_label',
  ],
  ['options', 100, (n) => inActions(select({ options: times(n, () => option()) })), '/blocks/0/elements/0/options'],
  [
    'option text',
    75,
    (n) => inActions(select({ options: [option({ text: plain(x(n)) })] })),
    '/blocks/0/elements/0/options/0/text/text',
  ],
  [
    'option value',
    150,
    (n) => inActions(select({ options: [option({}, x(n))] })),
    '/blocks/0/elements/0/options/0/value',
  ],
  [
    'option description',
    75,
    (n) => inActions(select({ options: [option({ description: plain(x(n)) })] })),
    '/blocks/0/elements/0/options/0/description/text',
  ],
  ['placeholder', 150, (n) => inActions(select({ placeholder: plain(x(n)) })), '/blocks/0/elements/0/placeholder/text'],
  [
    'option groups',
    100,
    (n) =>
      inActions({ type: 'static_select', option_groups: times(n, () => ({ label: plain('g'), options: [option()] })) }),
    '/blocks/0/elements/0/option_groups',
  ],
  [
    'group label',
    75,
    (n) => inActions({ type: 'static_select', option_groups: [{ label: plain(x(n)), options: [option()] }] }),
    '/blocks/0/elements/0/option_groups/0/label/text',
  ],
  [
    'checkboxes',
    10,
    (n) => inActions({ type: 'checkboxes', options: times(n, () => option()) }),
    '/blocks/0/elements/0/options',
  ],
  [
    'radio buttons',
    10,
    (n) => inActions({ type: 'radio_buttons', options: times(n, () => option()) }),
    '/blocks/0/elements/0/options',
  ],
  ['input label', 2000, (n) => [input({ label: plain(x(n)) })], '/blocks/0/label/text'],
  ['input hint', 2000, (n) => [input({ hint: plain(x(n)) })], '/blocks/0/hint/text'],
  [
    'text input length',
    3000,
    (n) => [input({ element: { type: 'plain_text_input', max_length: n } })],
    '/blocks/0/element/max_length',
  ],
  ['table rows', 100, (n) => [{ type: 'table', rows: times(n, () => [cell()]) }], '/blocks/0/rows'],
  ['table cells', 20, (n) => [{ type: 'table', rows: [times(n, () => cell())] }], '/blocks/0/rows/0'],
  [
    'table columns',
    20,
    (n) => [{ type: 'table', rows: [[cell()]], column_settings: times(n, () => ({})) }],
    '/blocks/0/column_settings',
  ],
  ['plan tasks', 50, (n) => [{ type: 'plan', title: 'p', tasks: times(n, task) }], '/blocks/0/tasks'],
  ['table characters', 10_000, (n) => [{ type: 'table', rows: [[cell(x(n))]] }], '/blocks/0/rows'],
  ['charts', 2, (n) => times(n, () => bars(['a'])), '/blocks/2'],
  ['chart title', 50, (n) => [bars(['a'], { title: x(n) })], '/blocks/0/title'],
  ['chart series', 12, (n) => [bars(['a'], { names: times(n, String) })], '/blocks/0/chart/series'],
  ['chart series name', 20, (n) => [bars(['a'], { names: [x(n)] })], '/blocks/0/chart/series/0/name'],
  ['chart points', 20, (n) => [bars(times(n, String))], '/blocks/0/chart/series/0/data'],
  ['chart label', 20, (n) => [bars([x(n)])], '/blocks/0/chart/series/0/data/0/label'],
  [
    'list indent',
    8,
    (n) => [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_list',
            style: 'bullet',
            indent: n,
            elements: [{ type: 'rich_text_section', elements: [] }],
          },
        ],
      },
    ],
    '/blocks/0/elements/0/indent',
  ],
];

describe('a limit', () => {
  test.each(cases)('of %s: %i passes', (_what, max, build) => {
    expect(validateBlocks(build(max), 'message')).toEqual([]);
  });

  test.each(cases)('of %s: more than %i is refused, with its location', (_what, max, build, pointer) => {
    expect(validateBlocks(build(max + 1), 'message')[0]?.pointer).toBe(pointer);
  });
});

const dated = (timestamp: number) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'date', timestamp, format: '{date_short}' }] }],
});

describe('Slack’s error messages', () => {
  test.each([
    [[{ type: 'section', text: mrkdwn(x(3001)) }], 'must be less than 3001 characters'],
    [[{ type: 'section', text: mrkdwn('') }], 'must be more than 0 characters'],
    [times(51, () => ({ type: 'divider' })), 'no more than 50 items allowed'],
    [[dated(1_795_000_000.5)], 'must be an integer'],
    [[{ type: 'header' }], 'missing required field: text'],
    [[{ type: 'header', text: 'bare' }], 'must provide an object'],
    [[{ type: 'divider', color: 'red' }], 'invalid additional property: color'],
    [[bars(['a'], { names: ['runs', 'runs'] })], 'must have unique names'],
    [
      [bars(['a'], { chart: { ...bars(['a']).chart, axis_config: { categories: ['a', 'b'] } } })],
      'must have one point for each category',
    ],
    [inActions(button({ action_id: 'a' }), button({ action_id: 'a' })), '`action_id` "a" already exists'],
    [
      [
        { type: 'table', rows: [[cell()]] },
        { type: 'table', rows: [[cell()]] },
      ],
      'only_one_table_allowed',
    ],
  ])('%#', (blocks, reason) => {
    expect(validateBlocks(blocks, 'message').map((problem) => problem.reason)).toEqual([reason]);
  });
});

describe('where a block may appear', () => {
  const table = { type: 'table', rows: [[cell()]] };

  test.each([
    [table, true, false, true],
    [{ type: 'plan', title: 'p' }, true, false, false],
    [bars(['a']), true, false, true],
    [input(), true, true, true],
    [richText(), true, true, true],
  ])('%o', (block, ...allowed) => {
    const surfaces = ['message', 'modal', 'home'] as const;
    expect(surfaces.map((surface) => validateBlocks([block], surface).length === 0)).toEqual(allowed);
  });

  test('a modal has at most a hundred blocks', () => {
    expect(
      validateBlocks(
        times(100, () => ({ type: 'divider' })),
        'modal',
      ),
    ).toEqual([]);
    expect(
      validateBlocks(
        times(101, () => ({ type: 'divider' })),
        'modal',
      ),
    ).toHaveLength(1);
  });
});

describe('an invalid block', () => {
  test.each(['file', 'video', 'image', 'card', 'markdown', 'constructor', '__proto__', 'nonsense', undefined, 7])(
    'type %s is refused',
    (type) => {
      expect(validateBlocks([{ type }], 'message')).toEqual([
        { pointer: '/blocks/0/type', reason: `unsupported type: ${type}` },
      ]);
    },
  );

  test.each([undefined, null, 'text', 3, {}])('%s is not a list of blocks', (blocks) => {
    expect(validateBlocks(blocks, 'message')).toEqual([{ pointer: '/blocks', reason: 'must provide an array' }]);
  });

  test('a property named like one of Object.prototype is additional', () => {
    const block = JSON.parse('{"type":"divider","__proto__":{"a":1}}');
    expect(validateBlocks([block], 'message')).toHaveLength(1);
  });
});

describe('the whole message', () => {
  test('two blocks may not share an id', () => {
    const twin = { type: 'divider', block_id: 'b' };
    expect(validateBlocks([twin, twin], 'message')).toMatchObject([{ pointer: '/blocks/1/block_id' }]);
  });

  test('two blocks may each have the same action id', () => {
    const [row] = inActions(button({ action_id: 'a' }));
    expect(validateBlocks([row, row], 'message')).toEqual([]);
  });

  test('an initial option is one of the options', () => {
    const blocks = (value: string) => inActions(select({ initial_option: option({}, value) }));
    expect(validateBlocks(blocks('v'), 'message')).toEqual([]);
    expect(validateBlocks(blocks('w'), 'message')).toMatchObject([{ pointer: '/blocks/0/elements/0/initial_option' }]);
  });
});

describe('dependent properties', () => {
  const both = { options: [option()], option_groups: [{ label: plain('g'), options: [option()] }] };

  test.each([
    ['a section without words', [{ type: 'section' }], '/blocks/0'],
    ['a menu with two lists', inActions({ type: 'static_select', ...both }), '/blocks/0/elements/0'],
    ['a menu without a list', inActions({ type: 'static_select' }), '/blocks/0/elements/0'],
  ])('%s is refused', (_what, blocks, pointer) => {
    expect(validateBlocks(blocks, 'message')).toEqual([{ pointer, reason: expect.stringMatching(/^must provide/) }]);
  });
});

describe('an address', () => {
  test.each(['javascript:alert(1)', 'data:text/html,x', '//example.com', 'example.com', 'https://a b'])(
    '%s is invalid',
    (url) => {
      expect(validateBlocks(inActions(button({ url })), 'message')).toMatchObject([
        { pointer: '/blocks/0/elements/0/url' },
      ]);
    },
  );
});
