/** Slack's rules for looks (slackapi/slack-skills-plugin, block-kit references), held against the golden corpus. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isRecord, type JsonRecord } from '../../../src/shared/json.ts';
import { goldenFile, parseCorpus, type SlackPayload } from '../../support/slack/slack-contract.ts';

type Block = JsonRecord & { readonly type?: unknown };
type Rule = (shown: { readonly blocks: readonly Block[]; readonly text: string }) => boolean;

const listIn = (value: unknown, key: string): readonly JsonRecord[] => {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isRecord) : [];
};
const isData = ({ type }: Block) => type === 'table' || type === 'data_visualization';
const ofType = (blocks: readonly Block[], type: string) => blocks.filter((block) => block.type === type);
const headerOf = ({ rows }: Block) => (Array.isArray(rows) && Array.isArray(rows[0]) ? rows[0] : []);

/** An answer that says that something could not be done. */
const refusal = /^:(?:x|warning|information_source|mag): (?!Looking into)/;
const nextStep = /\/workflow |\bAsk |\bgive its |\bsuch as |What to try: /;

/** Of each: the name, or of a run, which has none, when it started. */
const firstColumns = ['Workflow', 'Started'];

const rules: Readonly<Record<string, Rule>> = {
  'an even number of fields': ({ blocks }) => blocks.every((block) => listIn(block, 'fields').length % 2 === 0),
  'no chart below four points': ({ blocks }) =>
    ofType(blocks, 'data_visualization').every(({ chart }) =>
      [...listIn(chart, 'series').map((series) => listIn(series, 'data')), listIn(chart, 'segments')].every(
        ({ length }) => length === 0 || length >= 4,
      ),
    ),
  'no table beside a chart': ({ blocks }) => new Set(blocks.filter(isData).map(({ type }) => type)).size < 2,
  'text before a chart or table': ({ blocks }) => blocks.findIndex(isData) !== 0,
  'names before numbers in a table': ({ blocks }) =>
    ofType(blocks, 'table').every((table) => firstColumns.includes(String(headerOf(table)[0]?.text))),
  'the order of a table is said': ({ blocks, text }) =>
    ofType(blocks, 'table').length === 0 || /\b(?:urgent|newest|oldest) first\b/i.test(text),
  'no K below 10,000': ({ text }) => !/(?<![\d.,])\d(?:[.,]\d+)?\s?[kK]\b/.test(text),
  'a next step after a refusal': ({ blocks, text }) =>
    !refusal.test(text) || ofType(blocks, 'actions').length > 0 || nextStep.test(text),
};

function brokenIn(payload: SlackPayload): readonly string[] {
  const [blocks, text] = 'view' in payload ? [listIn(payload.view, 'blocks'), ''] : [payload.blocks, payload.text];
  return Object.keys(rules).filter((name) => !rules[name]?.({ blocks, text }));
}

const corpus = parseCorpus(readFileSync(goldenFile, 'utf8'));

it.each(corpus)('$shown', ({ payload }) => {
  expect(brokenIn(payload)).toEqual([]);
});

it('meets fields, charts, tables and refusals in the corpus', () => {
  const types = corpus.flatMap(({ payload }) => ('view' in payload ? [] : payload.blocks.map(({ type }) => type)));
  expect(types).toEqual(expect.arrayContaining(['section', 'data_visualization', 'table']));
  expect(corpus.filter(({ payload }) => 'text' in payload && refusal.test(payload.text)).length).toBeGreaterThan(10);
});

const said = { type: 'rich_text', elements: [] };
const points = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `${at}`, value: 1 }));
const chart = (count: number) => ({ type: 'data_visualization', chart: { series: [{ data: points(count) }] } });
const table = (title: string) => ({ type: 'table', rows: [[{ type: 'raw_text', text: title }]] });
const fields = (count: number) => ({ type: 'section', fields: Array.from({ length: count }, () => ({})) });

it.each<[string, readonly Block[], string]>([
  ['an even number of fields', [fields(3)], ''],
  ['no chart below four points', [said, chart(3)], ''],
  ['no table beside a chart', [said, chart(4), table('Workflow')], 'Newest first.'],
  ['text before a chart or table', [chart(4)], ''],
  ['names before numbers in a table', [said, table('Failed')], 'Newest first.'],
  ['the order of a table is said', [said, table('Workflow')], ''],
  ['no K below 10,000', [said], '9.5K runs'],
  ['a next step after a refusal', [said], ':x: That did not work.'],
])('finds a message that breaks: %s', (name, blocks, text) => {
  expect(brokenIn({ surface: 'message', text, blocks })).toEqual([name]);
});
