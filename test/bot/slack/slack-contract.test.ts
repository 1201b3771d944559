/** The contract with Slack: the golden corpus is up to date and keeps every rule that is known without Slack. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonRecord } from '../../../src/shared/json.ts';
import { sampleNow } from '../../support/bot/commands.ts';
import { SlackError } from '../../support/documented-slack/refusals.ts';
import { startDocumentedSlack } from '../../support/documented-slack/server.ts';
import { app } from '../../support/documented-slack/workspace.ts';
import { goldenCorpus } from '../../support/insight/golden.ts';
import { copySampleDatabase } from '../../support/service/sample-database.ts';
import {
  contractProblems,
  formatCorpus,
  goldenFile,
  parseCorpus,
  payloadIn,
} from '../../support/slack/slack-contract.ts';

const stored = readFileSync(goldenFile, 'utf8');

it('the golden corpus has what the bot sends today: if not, run npm run generate', async () => {
  const { url, remove } = await copySampleDatabase(sampleNow);
  onTestFinished(remove);
  expect(formatCorpus(await goldenCorpus(url)) === stored).toBe(true);
});

it.each(parseCorpus(stored))('Slack’s types and limits allow $shown', ({ payload }) => {
  expect(contractProblems(payload)).toEqual([]);
});

it('the corpus has every surface, and no secret or address of a machine', () => {
  expect(new Set(parseCorpus(stored).map(({ payload }) => payload.surface))).toEqual(
    new Set(['message', 'response', 'modal', 'home']),
  );
  expect(stored).not.toMatch(/wfq_\w{12}|xox[bep]-|127\.0\.0\.1|localhost/);
});

it('finds what Slack would refuse', () => {
  const section = { type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } };
  const blocks = [section, { type: 'banner' }];
  const problems = contractProblems({ surface: 'message', text: ' ', blocks }).join('\n');
  for (const at of ['/blocks/0', '/blocks/1', '/text is empty']) expect(problems).toContain(at);
  expect(contractProblems({ surface: 'modal', view: { type: 'modal', blocks: [] } })).not.toEqual([]);
});

it('reads messages and views from calls and answers', () => {
  const divider = { type: 'divider' };
  expect(payloadIn({ channel: 'C1', text: 'Hi', blocks: JSON.stringify([divider]) })).toEqual({
    surface: 'message',
    text: 'Hi',
    blocks: [divider],
  });
  expect(payloadIn({ view: { type: 'home', blocks: [] } })).toMatchObject({ surface: 'home' });
  expect(payloadIn({ ok: true })).toBeUndefined();
});

it('with a token, Slack itself is asked about each, and its refusals are listed with their places', async () => {
  const asked: unknown[] = [];
  const run = (args: JsonRecord) => {
    asked.push(args);
    if (args['view'] === undefined) return {};
    // https://docs.slack.dev/reference/methods/blocks.validate
    throw new SlackError('invalid_view', {
      errors: [{ pointer: '/view/title', code: 'failed', message: 'is refused' }],
    });
  };
  const slack = await startDocumentedSlack([], { 'blocks.validate': { scope: null, run } });
  onTestFinished(slack.close);
  const file = join(mkdtempSync(join(tmpdir(), 'corpus-')), 'two.jsonl');
  const [message, modal] = ['message', 'modal'].map((surface) =>
    parseCorpus(stored).find(({ payload }) => payload.surface === surface),
  );
  writeFileSync(file, formatCorpus([message, modal].flatMap((one) => one ?? [])));
  const env = { SLACK_BOT_TOKEN: app.token, SLACK_API_URL: slack.apiUrl };
  const { code, stdout } = await promisify(execFile)(process.execPath, ['scripts/check-slack.ts', file], { env })
    .catch((error: { readonly code: number; readonly stdout: string }) => error)
    .then((done) => ({ code: 0, ...done }));
  expect(asked).toHaveLength(2);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/\/view\/title is refused[\s\S]*2 messages and views: 1 refused/),
  ]);
});
