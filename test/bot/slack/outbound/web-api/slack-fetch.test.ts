/** Which of Slack's answers count as a refusal of the token. */
import { expect, onTestFinished, test } from 'vitest';
import { createSlackClients } from '../../../../../src/bot/slack/outbound/web-api/client.ts';
import { createSlackAgent, createSlackFetch } from '../../../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import { startFakeSlack } from '../../../../support/slack/fake-slack.ts';

const refusal = { ok: false, error: 'invalid_auth' };

test.each<[string, object, readonly string[]]>([
  ['a refusal', refusal, ['invalid_auth']],
  ['the metadata of another app', { ok: true, messages: [{ metadata: { event_payload: refusal } }] }, []],
  ['a text that a person wrote', { ok: true, messages: [{ text: JSON.stringify(refusal) }] }, []],
  ['a failure with a refusal inside', { ok: false, error: 'fatal_error', warnings: [refusal] }, ['fatal_error']],
  ['a refusal without a name', { ok: false, response_metadata: refusal }, []],
])('%s counts as Slack’s own answer alone', async (_what, body, refusals) => {
  const slack = await startFakeSlack();
  const agent = createSlackAgent();
  onTestFinished(async () => void (await Promise.all([slack.close(), agent.destroy()])));
  const seen: string[] = [];
  const fetch = createSlackFetch(agent, { onRefusal: (_token, error) => seen.push(error) });
  const { log } = createMemoryLog();
  slack.script('conversations.history', { body });
  const client = createSlackClients({ slackApiUrl: slack.apiUrl, fetch, log, callTimeoutMs: 5_000 }).of('xoxb-1');
  await client.conversations.history({ channel: 'C1' }).catch(() => undefined);
  expect(seen).toEqual(refusals);
});
