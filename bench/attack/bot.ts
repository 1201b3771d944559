/** The bot part of the attack: how long health checks and another workspace wait while one workspace’s errors are hostile. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { HttpConfig } from '../../src/bot/config.ts';
import { nextDue } from '../../src/bot/domain/schedule.ts';
import { createKeyProvider, parseKeyring } from '../../src/bot/store/secrets/keyring.ts';
import { openStore, type Store } from '../../src/bot/store/store.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { Workspace } from '../../src/local-slack/state/workspace.ts';
import { memoryFlags } from '../../test/support/programs/node-flags.ts';
import { worldUuids } from '../../test/support/service/world.ts';
import type { SlackDriver } from '../../test/support/slack/driver.ts';
import { startSlack } from '../bot/contender.ts';
import { quantile, table } from '../support/figures.ts';
import { failuresMax, startHostileService } from './hostile-service.ts';
import { type Probe, startProbe } from './probe.ts';

type Figures = { readonly p50: number; readonly p99: number; readonly max: number };
type Measured = {
  readonly scenario: string;
  readonly seconds: number;
  readonly health: Figures;
  readonly help: Figures;
  /** The longest synchronous stretch by the clock; and by the thread's processor time, which other work does not change. */
  readonly heldMs: number;
  readonly workedMs: number;
};

const attacker = { user: personId('ada', 2), channel: channelId('ops-alerts', 2) };
const signingSecret = 'a-signing-secret-of-the-bench';
const quietMs = 5_000;
const timeoutMs = 180_000;

/** Prints its table, and returns the numbers. */
export async function attackBot(): Promise<readonly Measured[]> {
  const measured = await measureBot();
  printBot(measured);
  return measured;
}

async function measureBot(): Promise<readonly Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-attack-'));
  await using service = await startHostileService();
  const slack = await startSlack();
  slack.addWorkspace();
  const keyring = `bench:${randomBytes(32).toString('base64')}`;
  const keys = createKeyProvider(() => parseKeyring(keyring, 'the bench'));
  const databaseUrl = `sqlite:${join(folder, 'bot.db')}`;
  const store = await openStore(databaseUrl, { keys });
  for (const workspace of slack.workspaces()) await install(store, workspace, service.url);
  const subscription = await subscribe(store, slack.workspaces()[1]?.teamId ?? '');
  await store.close();
  const config = configOf({ databaseUrl, keyring, slackApiUrl: slack.apiUrl, queryServiceUrl: service.url });
  const { bot, origin } = await startBotProcess(config);
  await slack.useHttp({ requestUrl: `${origin}/slack/events`, signingSecret });
  const [{ teamId, people } = { teamId: '', people: [] }] = slack.workspaces();
  const asked = { origin, signingSecret, teamId, channelId: channelId('ops-alerts') };
  const probe = startProbe({ ...asked, people: people.slice(0, 5).map(({ id }) => id) });
  const measure = (scenario: string, attack: () => Promise<unknown>) => measureWhile(scenario, attack, { probe, bot });
  try {
    await wait(quietMs);
    return [
      await measure('nothing else', () => wait(quietMs)),
      await measure(`failures, three windows of ${failuresMax}`, () => failures(slack)),
      await measure(`a digest over ${failuresMax} failures`, () => digest(slack, subscription)),
      await measure('an export of 32 MiB', async () => {
        service.beEndless(true);
        await exported(slack);
      }),
    ];
  } finally {
    await probe.stop();
    bot.kill('SIGKILL');
    await slack.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function printBot(measured: readonly Measured[]): void {
  const cells = ({ p50, p99, max }: Figures) => [p50, p99, max];
  const rows = measured.map(({ scenario, seconds, health, help, heldMs, workedMs }) => [
    ...[scenario, seconds, ...cells(health), ...cells(help), heldMs, workedMs],
  ]);
  const head = ['', 's', '/healthz p50', 'p99', 'max', 'help p50', 'p99', 'max', 'loop held', 'by own work'];
  console.log(
    'Latency of other clients of the bot while one workspace is hostile, ms; help is typed in another workspace',
  );
  console.log(`${table(head, rows)}\n`);
}

type Target = { readonly probe: Probe; readonly bot: ChildProcess };

async function measureWhile(
  scenario: string,
  attack: () => Promise<unknown>,
  { probe, bot }: Target,
): Promise<Measured> {
  await probe.take();
  await askHeld(bot);
  const startedAt = performance.now();
  await attack();
  const seconds = (performance.now() - startedAt) / 1000;
  const { healthMs, helpMs } = await probe.take();
  return { scenario, seconds, health: figuresOf(healthMs), help: figuresOf(helpMs), ...(await askHeld(bot)) };
}

function figuresOf(values: readonly number[]): Figures {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), max: quantile(values, 1) };
}

async function askHeld(bot: ChildProcess): Promise<Pick<Measured, 'heldMs' | 'workedMs'>> {
  const heard = once(bot, 'message');
  bot.send('held');
  const [said] = await heard;
  return said;
}

async function failures(slack: SlackDriver): Promise<void> {
  for (const window of ['24h', '23h', '22h']) {
    await type(slack, `failures ${window}`);
    await until(() =>
      answersIn(slack).some((text) => text.includes(`last ${window.replace('h', '')}`) && text.includes('failure')),
    );
  }
}

async function exported(slack: SlackDriver): Promise<void> {
  await type(slack, `export ${worldUuids.workflow} 30d --format json`);
  await until(() => answersIn(slack).some((text) => text.includes('JSON, 3')));
}

async function digest(slack: SlackDriver, id: string): Promise<void> {
  await type(slack, `digest now ${id}`);
  const place = { channel: channelId('general', 2), viewer: attacker.user };
  await until(() => slack.messages(place).some(({ text }) => /failure|failed/.test(text)));
}

/** A daily subscription to all workflows. @returns its id */
async function subscribe(store: Store, teamId: string): Promise<string> {
  const schedule = { time: '09:07', weekdays: [1, 2, 3, 4, 5, 6, 7], zone: 'UTC' } as const;
  const now = Date.now();
  const plan = { schedule, channelId: channelId('general', 2), workflows: { kind: 'all' }, hasAllClear: true } as const;
  const by = { userId: attacker.user, at: now };
  const created = await store.subscriptions.create(
    teamId,
    { ...plan, onUncertain: 'hold' },
    by,
    nextDue(schedule, { at: now }),
  );
  return created.id;
}

async function type(slack: SlackDriver, line: string): Promise<void> {
  const result = await slack.command({ ...attacker, text: `/workflow ${line}` });
  if (!result.ok) throw new Error(`“${line}” was not answered: ${result.error}`);
}

function answersIn(slack: SlackDriver): readonly string[] {
  return slack.messages({ channel: attacker.channel, viewer: attacker.user }).map(({ text }) => text);
}

async function until(isDone: () => boolean): Promise<void> {
  const endsAt = performance.now() + timeoutMs;
  while (!isDone()) {
    if (performance.now() > endsAt) throw new Error('The attack did not end.');
    await wait(50);
  }
}

async function startBotProcess(config: HttpConfig): Promise<{ readonly bot: ChildProcess; readonly origin: string }> {
  const child = fork(new URL('attacked-bot.ts', import.meta.url), [JSON.stringify(config)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [...memoryFlags, '--disable-warning=ExperimentalWarning'],
  });
  const [{ origin }] = await once(child, 'message');
  return { bot: child, origin };
}

type Addresses = Pick<HttpConfig, 'databaseUrl' | 'slackApiUrl' | 'queryServiceUrl'> & {
  readonly keyring: string;
};

function configOf({ keyring, ...addresses }: Addresses): HttpConfig {
  return {
    ...addresses,
    ...{
      mode: 'http',
      keyring: { kind: 'text', text: keyring },
      slackCommand: '/workflow',
      logLevel: 'info',
      proxy: {},
    },
    ...{ host: '127.0.0.1', port: 0, slackSigningSecret: signingSecret },
    ...{ slackClientId: '1.2', slackClientSecret: 'a-client-secret', publicUrl: 'https://bot.example.com' },
  };
}

/** Writes installations and credentials to the store. */
async function install(
  store: Store,
  { teamId, botToken, botUserId, botId, scopes, people }: Workspace,
  endpoint: string,
) {
  const by = people[0]?.id ?? '';
  await store.installations.save(teamId, {
    ...{ botToken, botUserId, botId, scopes, installedBy: by, installedAt: Date.now(), appId: 'A01WORKFLOW' },
    ...{ enterpriseId: null, isEnterpriseInstall: false, refreshToken: null, tokenExpiresAt: null },
  });
  await store.credentials.connect(teamId, {
    ...{ endpoint, apiKey: 'wfq_a-key-of-the-bench', keyHint: 'a key', organizationId: 'o-1', organizationName: null },
    ...{ connectedBy: by, connectedAt: Date.now() },
  });
}
