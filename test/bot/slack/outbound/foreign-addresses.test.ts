/** The bot contacts an address from a payload or an answer only if it belongs to the configured Slack. */
import { expect, onTestFinished, test } from 'vitest';
import { Posting } from '../../../../src/bot/slack/outbound/delivery/posting.ts';
import { createSlackClients } from '../../../../src/bot/slack/outbound/web-api/client.ts';
import {
  createSendBytes,
  createSlackAgent,
  createSlackFetch,
} from '../../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { createTestBot, echo, lateAnswer } from '../../../support/bot/bot.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import { startFakeSlack } from '../../../support/slack/fake-slack.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

/** A Slack, and another server on the same machine at a port of its own. */
async function startBoth() {
  const [slack, other] = [await startFakeSlack(), await startFakeSlack()];
  onTestFinished(async () => void (await Promise.all([slack.close(), other.close()])));
  return { slack, other, asked: () => [...other.calls, ...other.responses, ...other.sockets] };
}

const late = lateAnswer(({ line }) => echo(line));

test('a response_url at another port of the Slack’s host gets nothing, and the person gets the answer', async () => {
  const { slack, other, asked } = await startBoth();
  const { bot, log } = createTestBot(slack, { answer: late });
  await bot.start();
  const fields = { response_url: `${other.origin}/response/1` };
  await slack.send('slash_commands', commandPayload(slack, 'list', fields));
  await bot.stop();
  expect(asked()).toEqual([]);
  expect(log.text()).toContain('foreign_response_url');
  expect(slack.calls.at(-1)).toMatchObject({ method: 'chat.postEphemeral', fields: { text: 'You typed list' } });
});

test('a file is not sent to an upload address at another port', async () => {
  const { slack, other, asked } = await startBoth();
  const [agent, { log }] = [createSlackAgent(), createMemoryLog()];
  onTestFinished(() => agent.destroy());
  const web = { slackApiUrl: slack.apiUrl, fetch: createSlackFetch(agent), log, callTimeoutMs: 2_000 };
  const posting = new Posting({
    post: async () => ({ kind: 'refused', error: 'not_here' }),
    slashCommand: '/workflow',
    clients: createSlackClients(web),
    sendBytes: createSendBytes(agent),
    log,
  });
  const upload = { ok: true, upload_url: `${other.origin}/upload/v1/key`, file_id: 'F1' };
  slack.script('files.getUploadURLExternal', { body: upload });
  const file = { name: 'a.txt', title: 'a.txt', content: async () => Buffer.from('secret') };
  const sent = await posting.upload({ botToken: 'xoxb-1', channelId: 'C0OPS' }, file);
  expect(sent).toEqual({ kind: 'permanent', error: 'foreign_upload_url' });
  expect(asked()).toEqual([]);
});

test('a socket at another port is not opened, and the start fails with the setting to check', async () => {
  const { slack, other, asked } = await startBoth();
  const { bot } = createTestBot(slack);
  slack.script('apps.connections.open', { body: { ok: true, url: `${other.origin.replace('http', 'ws')}/link` } });
  const error: unknown = await bot.start().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unavailable', hint: 'Check SLACK_API_URL and the proxy settings.' });
  expect(asked()).toEqual([]);
});

test('a redirect of Slack’s Web API is not followed', async () => {
  const { slack, other, asked } = await startBoth();
  const agent = createSlackAgent();
  onTestFinished(() => agent.destroy());
  slack.script('api.test', { status: 307, headers: { location: `${other.apiUrl}api.test` }, body: '' });
  const answer = await createSlackFetch(agent)(`${slack.apiUrl}api.test`, { method: 'POST' });
  expect(answer.status).toBe(307);
  expect(asked()).toEqual([]);
});
