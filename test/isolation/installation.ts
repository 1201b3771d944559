/** A bot as in production, over HTTP, in many workspaces of a local Slack, each with its own stored key; and everything that it leaves behind. */

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import NodeCache from 'node-cache';
import { onTestFinished, vi } from 'vitest';
import { startBot } from '../../src/bot/compose.ts';
import { openStore } from '../../src/bot/store/store.ts';
import type { Workspace } from '../../src/local-slack/state/workspace.ts';
import { keyLine, testKeys } from '../support/bot/store.ts';
import { newFolder } from '../support/databases/engines.ts';
import { secret } from '../support/runner/canaries.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import type { SlackDriver } from '../support/slack/driver.ts';
import { localSlack } from '../support/slack/local-slack.ts';
import type { Evidence, Expectations } from './judge.ts';
import { type Organizations, startOrganizations } from './organizations.ts';
import { type Sent, tapAnswers, tapCalls } from './taps.ts';

export type Size = { readonly workspaces: number; readonly organizations: number };

export type Installation = {
  readonly slack: SlackDriver;
  readonly workspaces: readonly Workspace[];
  readonly organizations: Organizations;
  readonly sent: readonly Sent[];
  /** Registers a typed key or another value that must not appear anywhere. */
  readonly newSecret: () => string;
  /** Stops the bot. @returns everything that it left behind, and the allowed values */
  readonly finish: () => Promise<{ readonly evidence: Evidence; readonly expected: Expectations }>;
};

/** The organization whose key a workspace stores; another one for incorrect bots. */
export type KeyOf = (index: number, organizations: number) => number;
const inTurn: KeyOf = (index, organizations) => index % organizations;

export async function startInstallation(size: Size, keyOf: KeyOf = inTurn): Promise<Installation> {
  const organizations = await startOrganizations(size.organizations);
  onTestFinished(organizations.close);
  const slack = await localSlack({ clock: Date.now });
  while (slack.workspaces().length < size.workspaces) slack.addWorkspace();
  const workspaces = slack.workspaces();
  const secrets: string[] = workspaces.map(({ botToken }) => botToken);
  const newSecret = () => {
    secrets.push(secret(`canary-${randomBytes(12).toString('hex')}`));
    return secrets.at(-1) ?? '';
  };
  const folder = newFolder();
  const keyring = keyLine('test');
  secrets.push(keyring.slice('test:'.length));
  const databaseUrl = `sqlite:${join(folder, 'bot.db')}`;
  await fill(databaseUrl, keyring, workspaces, (index) => {
    secrets.push(organizations.newKey(keyOf(index, size.organizations)));
    return { endpoint: organizations.url, apiKey: secrets.at(-1) ?? '' };
  });
  const sent: Sent[] = [];
  const cached = watchCache();
  const teamOfToken = new Map(workspaces.map(({ botToken, teamId }) => [botToken, teamId]));
  const calls = await tapCalls(slack.url, teamOfToken, sent);
  onTestFinished(calls.close);
  const log = createMemoryLog();
  const signingSecret = newSecret();
  const bot = await startBot(
    {
      ...{ mode: 'http', databaseUrl, keyring: { kind: 'text', text: keyring }, slackCommand: '/workflow' },
      ...{ logLevel: 'trace', proxy: { httpProxy: calls.url, noProxy: '' }, slackApiUrl: slack.apiUrl },
      ...{ queryServiceUrl: organizations.url, host: '127.0.0.1', port: 0 },
      ...{ slackSigningSecret: signingSecret, slackClientId: '1.2', slackClientSecret: newSecret() },
      publicUrl: 'https://bot.example.com',
    },
    log.log,
  );
  onTestFinished(bot.stop);
  const origin = bot.origin ?? '';
  const answers = await tapAnswers(origin, sent);
  onTestFinished(answers.close);
  await slack.useHttp({ requestUrl: `${answers.url}/slack/events`, signingSecret });
  const markerAt = (index: number) => organizations.markers[inTurn(index, size.organizations)] ?? '';
  const markerOf = new Map(workspaces.map(({ teamId }, index) => [teamId, markerAt(index)]));
  const finish = async () => {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    await bot.stop();
    const stored = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    const logged = log.text().split('\n').filter(Boolean);
    const evidence = { sent, logged, cached, metrics, stored };
    return { evidence, expected: { markerOf, markers: organizations.markers, secrets } };
  };
  return { slack, workspaces, organizations, sent, newSecret, finish };
}

type Access = { readonly endpoint: string; readonly apiKey: string };

/** Writes installations and credentials of all workspaces to the store. */
async function fill(
  url: string,
  keyring: string,
  workspaces: readonly Workspace[],
  accessOf: (index: number) => Access,
) {
  const store = await openStore(url, { keys: testKeys(keyring) });
  for (const [index, { teamId, botToken, botUserId, botId, scopes, people }] of workspaces.entries()) {
    const [installer] = people;
    const by = installer?.id ?? '';
    await store.installations.save(teamId, {
      ...{ botToken, botUserId, botId, scopes, installedBy: by, installedAt: Date.now() },
      ...{
        appId: 'A01WORKFLOW',
        enterpriseId: null,
        isEnterpriseInstall: false,
        refreshToken: null,
        tokenExpiresAt: null,
      },
    });
    await store.credentials.connect(teamId, {
      ...accessOf(index),
      ...{ keyHint: 'a key', organizationId: 'o-1', organizationName: null, connectedBy: by, connectedAt: Date.now() },
    });
  }
  await store.close();
}

/** Records the answers in the cache. */
function watchCache(): Evidence['cached'] {
  const cached: { readonly key: string; readonly value: string }[] = [];
  const { set } = NodeCache.prototype;
  const spy = vi.spyOn(NodeCache.prototype, 'set').mockImplementation(function (this: NodeCache, key, value) {
    cached.push({ key: String(key), value: JSON.stringify(value) ?? '' });
    return set.call(this, key, value);
  });
  onTestFinished(() => spy.mockRestore());
  return cached;
}
