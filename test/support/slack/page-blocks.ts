/** Messages that together have every block that the page draws, as an app would send them. */
import type { KnownBlock, RichTextBlock, RichTextElement, StaticSelect } from '@slack/types';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import type { DataVisualizationBlock } from '../../../src/shared/block-kit/data-visualization.ts';

const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn' as const, text, verbatim: true });
const text = (value: string) => ({ type: 'text' as const, text: value });
const styled = (value: string, style: NonNullable<RichTextElement['style']>): RichTextElement => ({
  type: 'text',
  text: value,
  style,
});
const section = (...elements: RichTextElement[]) => ({ type: 'rich_text_section' as const, elements });
const rich = (...elements: RichTextBlock['elements']): RichTextBlock => ({ type: 'rich_text', elements });

/** A picture of 2 by 2 pixels. */
export const tinyPicture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYGBiQEKABaOAwPgPDTbAAAAAElFTkSuQmCC';

const longWord = 'a'.repeat(400);

type Clock = { readonly nowMs: number };

export function textMessage({ nowMs }: Clock): readonly KnownBlock[] {
  const at = Math.floor(nowMs / 1000);
  return [
    { type: 'header', text: plain('Every kind of text :rocket:') },
    {
      type: 'section',
      text: mrkdwn(
        '*Bold*, _italic_, ~struck~, `code`, *_both_*, <https://example.com/?a=1&amp;b=2|a link>, :warning: &lt;escaped&gt; &amp;amp;',
      ),
    },
    {
      type: 'section',
      text: mrkdwn('before it\n```const answer = 42;\nif (a &lt; b) return answer;```\nafter it'),
    },
    {
      type: 'section',
      text: mrkdwn(
        `<@${ada}>, <@${ben}>, <#${general}>, <!here>; <!date^${at - 3600}^{date_short_pretty} at {time}|earlier>, ` +
          `<!date^1392734382^{date_short}|Feb 18, 2014>, <!date^${at - 300}^{ago}|a while ago>`,
      ),
    },
    {
      type: 'section',
      fields: [
        mrkdwn('*Runs*\n1,204 (the 24 h before: 1,198)'),
        mrkdwn('*Failures*\n37 (the 24 h before: 2)'),
        mrkdwn('*Rate*\n96.9 %'),
      ],
    },
    { type: 'divider' },
    {
      type: 'context',
      elements: [mrkdwn(':large_blue_circle: live'), mrkdwn('*small* print')],
    },
  ];
}

export function richMessage({ nowMs }: Clock): readonly KnownBlock[] {
  const at = Math.floor(nowMs / 1000);
  const list = (style: 'bullet' | 'ordered', indent: number, ...items: string[]) => ({
    type: 'rich_text_list' as const,
    ...{ style, indent, elements: items.map((item) => section(text(item))) },
  });
  return [
    rich(
      section(
        ...[styled('bold ', { bold: true }), styled('italic ', { italic: true }), styled('struck', { strike: true })],
        ...[text(' '), styled('code', { code: true }), text(' ')],
        { type: 'link', url: 'https://example.com', text: 'link' },
        ...[text(' '), { type: 'user', user_id: ada } as const, text(' ')],
        ...[{ type: 'channel', channel_id: general } as const, text(' ')],
        ...[{ type: 'emoji', name: 'tada' } as const, text(' ')],
        ...[text(' literally *not bold* &amp; <@U000>, at ')],
        { type: 'date', timestamp: at, format: '{time}', fallback: 'now' },
      ),
      list('bullet', 0, 'first', 'second'),
      list('bullet', 1, 'inside the second'),
      list('ordered', 0, 'one', 'two'),
      { type: 'rich_text_quote', elements: [text('as somebody said')] },
      {
        type: 'rich_text_preformatted',
        elements: [text('Thu 19 ████████▒▒     1,204 · 37 failed\nFri 20 ██████████     1,198')],
      },
    ),
  ];
}

export const tableMessage: readonly KnownBlock[] = [
  { type: 'section', text: mrkdwn('*A table*, wider than a phone') },
  {
    type: 'table',
    column_settings: [{ is_wrapped: true }, {}, { align: 'center' }, { align: 'right' }, { align: 'right' }],
    rows: [
      ['Workflow', 'Deployment', 'Last run', 'Succeeded', 'Failed'].map((value) => ({ type: 'raw_text', text: value })),
      ...[
        ['payments', 'active', '12,040', '37'],
        ['payments-eu with a name that is long enough to wrap', 'paused', '8,221', '0'],
        [`name-${'x'.repeat(80)}`, 'active', '3', '1'],
      ].map(([name = '', state = '', good = '', bad = '']): (typeof cells)[number] => [
        { type: 'raw_text', text: name },
        rich(section(styled(state, { bold: state === 'paused' }))),
        rich(section({ type: 'emoji', name: 'white_check_mark' }, text(' today'))),
        { type: 'raw_number', value: Number(good.replace(',', '')), text: good },
        { type: 'raw_text', text: bad },
      ]),
    ],
  },
];
const cells: Extract<KnownBlock, { type: 'table' }>['rows'] = [];

const option = (label: string, value = label) => ({ text: plain(label), value });
const tenOptions: StaticSelect = {
  type: 'static_select',
  action_id: 'pick',
  placeholder: plain('Show the status of…'),
  options: Array.from({ length: 10 }, (_, at) => option(`workflow-${at}`, `status ${at}`)),
};

export const controlsMessage: readonly KnownBlock[] = [
  {
    type: 'section',
    text: mrkdwn('*payments* failed 37 times since the deployment 40 minutes ago.'),
    accessory: { type: 'button', action_id: 'investigate', text: plain('Investigate'), style: 'primary', value: 'x' },
  },
  {
    type: 'actions',
    block_id: 'controls',
    elements: [
      { type: 'button', action_id: 'refresh', text: plain('Refresh'), value: 'refresh' },
      {
        type: 'button',
        action_id: 'delete',
        text: plain('Disconnect'),
        style: 'danger',
      },
      { type: 'button', action_id: 'open', text: plain('Open in the web'), url: 'https://example.com/workflows' },
      tenOptions,
      { type: 'radio_buttons', action_id: 'radio', options: [option('one'), option('two')] },
    ],
  },
];

export const newerMessage: readonly KnownBlock[] = [
  {
    type: 'plan',
    title: 'What execution 7f3a did',
    tasks: [
      {
        type: 'task_card',
        task_id: '1',
        title: 'fetch-rates',
        status: 'complete',
        output: rich(section(text('312 ms'))),
      },
      {
        ...{ type: 'task_card', task_id: '2', title: 'charge-cards', status: 'error' },
        details: rich(section(text('timeout after 30 s on 9 of 9 nodes'))),
      },
      { type: 'task_card', task_id: '3', title: 'notify', status: 'in_progress' },
      { type: 'task_card', task_id: '4', title: 'settle', status: 'pending' },
    ],
  },
  {
    type: 'image',
    image_url: 'https://elsewhere.example/chart.png',
    alt_text: 'runs per day, falling',
    title: plain('Runs'),
  },
  {
    type: 'video',
    ...{ video_url: 'https://elsewhere.example/v', thumbnail_url: 'https://elsewhere.example/t', alt_text: 'a video' },
    title: plain('a video'),
  },
];

/** A hostile name or log that was not escaped. */
export const hostileMessage: readonly KnownBlock[] = [
  { type: 'section', text: mrkdwn(`<javascript:alert(1)|click> <b onclick=x> ${longWord}`) },
  rich(
    section(
      { type: 'link', url: 'javascript:alert(1)', text: 'click me' },
      text(` <script>alert(1)</script> ${longWord}`),
    ),
  ),
  rich({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: longWord }] }),
  {
    type: 'actions',
    elements: [{ type: 'button', action_id: 'evil', text: plain('Evil'), url: 'javascript:alert(1)' }],
  },
];

const days = ['Mon 16', 'Tue 17', 'Wed 18', 'Thu 19', 'Fri 20', 'Sat 21', 'Sun 22'];
const series = (name: string, values: readonly number[]) => ({
  name,
  data: days.map((label, at) => ({ label, value: values[at] ?? 0 })),
});
/** The SDK has no type for charts. */
export const chartMessage: readonly DataVisualizationBlock[] = [
  {
    type: 'data_visualization',
    title: 'Runs per day, bar',
    chart: {
      type: 'bar',
      series: [series('succeeded', [960, 958, 961, 940, 902, 960, 655]), series('failed', [0, 2, 0, 20, 58, 1, -1200])],
      axis_config: { categories: days, y_label: 'runs' },
    },
  },
];
