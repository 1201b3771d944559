/** The bot as a process, with the query service and its sample, in the Slack of the documentation. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import * as registry from '../../../src/bot/commands/registry.ts';
import { checkingModal, loadingModal } from '../../../src/bot/views/notices/modal-notices.ts';
import { readRecord } from '../../../src/shared/json.ts';
import { keyLine } from '../bot/store.ts';
import { originOf, type Program, startProgram } from '../programs/program.ts';
import { secret } from '../runner/canaries.ts';
import { recentSampleTime } from '../service/sample-database.ts';
import { startTestService } from '../service/service.ts';
import { createMember, type Element, elementsIn, type Member } from './contract/member.ts';
import { createSignedHttp, type Delivery } from './delivery.ts';
import { createExplorer, type Explorer, type IsWanted } from './explore.ts';
import { createOauthMethod } from './oauth.ts';
import { changedEvent, ownMessageEvent } from './payloads.ts';
import { type DocumentedSlack, startDocumentedSlack } from './server.ts';
import { app, refusalLines, type Shown } from './workspace.ts';

export const manifest = parse(readFileSync(new URL('../../../manifest.yml', import.meta.url), 'utf8'));
export const commands = Object.values(registry);

/** Each command alone, and each example of its description. */
export const lines = [...new Set(commands.flatMap(({ name, examples }) => [name, ...examples]))];

/** Commands with each kind of answer: a message, a thread, a file and a form. */
export const words = commands.filter(({ name }) => ['status', 'execution', 'export', 'digest'].includes(name));

/** A form, or the first deed with its place, element and effect. */
export const ofEachKind: IsWanted = (deed, done) => {
  const kindOfDeed = (name: string) => name.split(' ', 3).join(' ');
  return deed.startsWith('submit') || !done.some((one) => kindOfDeed(one) === kindOfDeed(deed));
};

/** The kind of a press: its element, its effect, the command, its flags and the words that its usage names. */
function kindOf({ type, action_id: id, value, options }: Element['element']): string {
  const [, mode = '', rest = ''] = /^cmd:(\w+):(.*)$/s.exec(String(id)) ?? [];
  const [first] = Array.isArray(options) ? options.map(readRecord) : [];
  const line = String(value ?? first?.['value'] ?? rest.replace(/^search:/, ''));
  const [word = '', ...others] = line.split(' ');
  const usage = commands.find(({ name }) => name === word)?.usage.split(/[^a-z]+/) ?? [];
  return [type, mode, word, ...others.filter((each) => each.startsWith('--') || usage.includes(each))].join(' ');
}

const passing = [loadingModal.title, checkingModal.title];
/** The progress of a file has a button to cancel it, for as long as it takes. */
const isPassing = (shown: Shown) =>
  'view' in shown
    ? passing.includes(String(readRecord(shown.view.view['title'])['text']))
    : elementsIn(shown).some(({ element }) => kindOf(element) === 'button replace cancel');

export type DocumentedBot = {
  readonly slack: DocumentedSlack;
  readonly delivery: Delivery;
  readonly explorer: Explorer;
  /** A person whom the explorer does not know. */
  readonly admin: Member;
  /**
   * Stops it, and fails if Slack has refused a call, a view, an acknowledgement or its time.
   * @param asked refusals that tell the bot what it asked
   */
  readonly expectAccepted: (asked?: readonly string[]) => Promise<void>;
};

type Started = {
  readonly slack: DocumentedSlack;
  readonly delivery: Delivery;
  readonly program: Program;
  readonly key: string;
};

function createRun({ slack, delivery, program, key }: Started): DocumentedBot {
  const { workspace } = slack;
  workspace.clock.watch(program.child.pid ?? process.pid);
  const heard = hearOwnMessages(slack, delivery);
  return {
    slack,
    delivery,
    explorer: createExplorer({ slack, delivery, kindOf, isPassing, inputs: { key } }),
    admin: createMember(slack, delivery, 'U0P0', 'C0P0'),
    expectAccepted: async (asked = []) => {
      await Promise.all(heard);
      program.child.kill('SIGTERM');
      expect(await program.ended).toBe(0);
      expect(refusalLines(workspace.refusals)).toEqual(asked);
    },
  };
}

/** https://docs.slack.dev/reference/events/message.im: an app hears what it writes to a person, too. */
function hearOwnMessages(slack: DocumentedSlack, delivery: Delivery): readonly Promise<void>[] {
  const { workspace } = slack;
  const known = new Set<string>();
  const heard: Promise<void>[] = [];
  workspace.onShown((one) => {
    if ('view' in one || !one.message.channel.startsWith('D')) return;
    const { ts, channel } = one.message;
    const listener = createMember(slack, delivery, `U${channel.slice(1)}`, channel);
    const event = known.has(ts) ? changedEvent(workspace, one.message) : ownMessageEvent(one.message);
    known.add(ts);
    heard.push(listener.event(event));
  });
  return heard;
}

async function startSampleService() {
  const now = recentSampleTime();
  const service = await startTestService({ sample: 'fixed', clock: () => now, hasRecords: false });
  onTestFinished(() => service.close());
  const [key = ''] = Object.values(service.sampleKeys);
  return { url: service.url, key: secret(key) };
}

const entry = 'src/bin/start.ts';
const web = 'https://platform.example.com/workflows/{workflowUuid}';
const links = { WEB_WORKFLOW_LINK: web, WEB_EXECUTION_LINK: `${web}/executions/{executionUuid}` };

export async function startInSocketMode(): Promise<DocumentedBot> {
  const { url, key } = await startSampleService();
  const slack = await startDocumentedSlack(manifest.oauth_config.scopes.bot);
  onTestFinished(slack.close);
  const environment = {
    ...{ SLACK_BOT_TOKEN: app.token, SLACK_APP_TOKEN: app.appToken, SLACK_API_URL: slack.apiUrl, PORT: '0' },
    ...{ QUERY_SERVICE_URL: url, QUERY_SERVICE_API_KEY: key, ENCRYPTION_KEYS: keyLine('test'), ...links },
  };
  return createRun({ slack, delivery: slack.socketMode, program: startProgram({ entry, environment }), key });
}

/** Installs it, too. */
export async function startOverHttp(): Promise<DocumentedBot> {
  const { url, key } = await startSampleService();
  const publicUrl = 'https://bot.example.com';
  const client = { clientId: '1000.2000', clientSecret: secret('a-client-secret-of-the-documentation') };
  const [codes, redirectUrl] = [new Set(['a-code-of-the-browser']), `${publicUrl}/slack/oauth_redirect`];
  const oauth = createOauthMethod({ ...client, codes, redirectUrl, installedBy: 'U0P1' });
  const slack = await startDocumentedSlack(manifest.oauth_config.scopes.bot, { 'oauth.v2.access': oauth });
  onTestFinished(slack.close);
  const signingSecret = secret('a-signing-secret-of-the-documentation');
  const environment = {
    ...{
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_CLIENT_ID: client.clientId,
      SLACK_CLIENT_SECRET: client.clientSecret,
    },
    ...{ SLACK_API_URL: slack.apiUrl, PUBLIC_URL: publicUrl, PORT: '0' },
    ...{ QUERY_SERVICE_URL: url, ENCRYPTION_KEYS: keyLine('test'), ...links },
  };
  const program = startProgram({ entry, environment });
  const origin = await originOf(program);
  await install(origin, [...codes][0] ?? '');
  return createRun({ slack, delivery: createSignedHttp(`${origin}/slack/events`, signingSecret), program, key });
}

/** As a browser: https://docs.slack.dev/authentication/installing-with-oauth */
async function install(origin: string, code: string): Promise<void> {
  const begun = await fetch(`${origin}/slack/install/begin`, { redirect: 'manual' });
  const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookie = begun.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const query = new URLSearchParams({ code, state });
  const done = await fetch(`${origin}/slack/oauth_redirect?${query}`, { headers: { cookie } });
  expect(done.status).toBe(200);
}
