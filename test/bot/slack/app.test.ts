/** Many workspaces in one process: the app of the HTTP mode, with a test's own receiver. */
import type { App, Receiver } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';
import { createSlackApp } from '../../../src/bot/slack/app.ts';
import type { ServedWorkspaces, Workspace } from '../../../src/bot/slack/installation/workspaces.ts';
import { createOutboundSlack } from '../../../src/bot/slack/outbound/outbound-slack.ts';
import { echo, lateAnswer, noStore, withoutWaiting } from '../../support/bot/bot.ts';
import { testRuntime } from '../../support/bot/runtime.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { type FakeSlack, startFakeSlack } from '../../support/slack/fake-slack.ts';
import { commandPayload, pressPayload } from '../../support/slack/slack-payloads.ts';

const workspace = (teamId: string): Workspace => ({ teamId, botToken: `xoxb-of-${teamId}`, botUserId: 'U0BOT' });
const installed = new Map(['T0ONE', 'T0TWO'].map((teamId) => [teamId, workspace(teamId)]));
const locate = async () => undefined;
const stored: ServedWorkspaces = { find: async (teamId) => installed.get(teamId), locate };
const broken: ServedWorkspaces = {
  locate,
  find: async () => {
    throw new Error('the store is down');
  },
};

const late = lateAnswer(({ line, actor }) => echo(`${line} in ${actor.teamId}`));

async function startApp(workspaces: ServedWorkspaces) {
  const slack = await startFakeSlack();
  const runtime = testRuntime(() => 0, createMemoryLog().log);
  let bolt: App | undefined;
  const init = (app: App) => {
    bolt = app;
  };
  const receiver: Receiver = { init, start: async () => {}, stop: async () => {} };
  const outbound = createOutboundSlack({
    ...{ runtime, slashCommand: '/workflow', slackApiUrl: slack.apiUrl },
    access: { kind: 'token', botToken: 'xoxb-of-nobody' },
  });
  createSlackApp(receiver, {
    runtime,
    slack: { ...outbound, access: { ...outbound.access, workspaces } },
    dispatch: async (request) => late(request),
    opensModal: () => false,
    submit: async () => ({ kind: 'close' }),
    searchNames: async () => [],
    namesIn: async () => [],
    searchZones: async () => [],
    slashCommand: '/workflow',
    waitingTimes: {
      acknowledgeWithinMs: 1_000,
      openThreadWithinMs: 1_000,
      noteAfterMs: 1_000,
      ...withoutWaiting,
    },
    store: noStore,
  });
  onTestFinished(async () => {
    await outbound.close();
    await slack.close();
  });
  return { slack, bolt: () => bolt, feed: (body: Record<string, unknown>) => feed(bolt, body) };
}

/** @returns its acknowledgements */
async function feed(app: App | undefined, body: Record<string, unknown>): Promise<readonly unknown[]> {
  const acks: unknown[] = [];
  await app?.processEvent({ body, ack: async (payload?: unknown) => void acks.push(payload) });
  return acks;
}

const direct = (slack: FakeSlack, team_id: string) =>
  commandPayload(slack, 'list', { team_id, response_url: undefined });

test('each workspace’s calls go out with its own token, however they are mixed', async () => {
  const { slack, feed: send } = await startApp(stored);
  const teams = ['T0ONE', 'T0TWO', 'T0ONE', 'T0TWO', 'T0TWO', 'T0ONE'];
  await Promise.all(teams.map((team) => send(direct(slack, team))));
  const posted = slack.calls.filter(({ method }) => method !== 'conversations.info');
  const told = posted.map(({ token, fields }) => `${token}: ${fields['text']}`).sort();
  expect(told).toEqual(teams.map((team) => `xoxb-of-${team}: You typed list in ${team}`).sort());
});

test('Bolt caches nothing per token, because tokens rotate every few hours', async () => {
  const { slack, bolt, feed: send } = await startApp(stored);
  await send(direct(slack, 'T0ONE'));
  expect(new Set(slack.calls.map(({ token }) => token))).toEqual(new Set(['xoxb-of-T0ONE']));
  const app = bolt();
  expect(app && Reflect.get(app, 'clients')).toEqual({});
});

test('a workspace without the bot gets one answer that says so, and no command runs', async () => {
  const { slack, feed: send } = await startApp(stored);
  const acks = await send(commandPayload(slack, 'list', { team_id: 'T0STRANGE' }));
  expect(acks).toMatchObject([{ text: expect.stringContaining('not installed') }]);
  expect(slack.calls).toEqual([]);
});

test('while workspaces cannot be looked up, commands and presses are told to try again', async () => {
  const { slack, feed: send } = await startApp(broken);
  expect(await send(commandPayload(slack, 'list'))).toMatchObject([{ text: expect.stringMatching(/try again/i) }]);
  await send(pressPayload(slack, { mode: 'open', line: 'list' }));
  expect(slack.responses).toMatchObject([{ payload: { text: expect.stringMatching(/try again/i) } }]);
});

test('a command and a press are each acknowledged once although two listeners match them', async () => {
  const { slack, feed: send } = await startApp(stored);
  const pressed = { team: { id: 'T0ONE' }, user: { id: 'U0ANNA' } };
  expect(await send(commandPayload(slack, 'list', { team_id: 'T0ONE' }))).toHaveLength(1);
  expect(await send(pressPayload(slack, { mode: 'open', line: 'list' }, pressed))).toHaveLength(1);
});
