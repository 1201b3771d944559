/** One of each kind of message and view, over the sample at a fixed time: the same on every machine, and without a secret. */
import type { FormValues } from '../../../src/bot/commands/framework/command.ts';
import * as registry from '../../../src/bot/commands/registry.ts';
import { fitMessage } from '../../../src/bot/views/blocks/fit.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import { type Modal, modalView, parseMetadata } from '../../../src/bot/views/blocks/modal.ts';
import { homeView } from '../../../src/bot/views/home/home.ts';
import { digestEndedMessage, digestProblemMessage } from '../../../src/bot/views/notices/digest-notices.ts';
import * as modals from '../../../src/bot/views/notices/modal-notices.ts';
import * as notices from '../../../src/bot/views/notices/problem.ts';
import * as workspaces from '../../../src/bot/views/notices/workspace-notices.ts';
import { readRecord } from '../../../src/shared/json.ts';
import { everybodyIs } from '../bot/authorise.ts';
import { type Ran, sampleNow, startTestCommands, type TestCommands } from '../bot/commands.ts';
import { digestDesk, digestRequest } from '../bot/digests.ts';
import { startTestService } from '../service/service.ts';
import type { CorpusLine, SlackPayload } from '../slack/slack-contract.ts';

const endpoint = 'https://query.example.com/graphql';

/**
 * @param databaseUrl of a database that is empty, or has the sample of `sampleNow`
 * @returns the corpus, in the order in which a person would meet the messages
 */
export async function goldenCorpus(databaseUrl: string): Promise<readonly CorpusLine[]> {
  const clock = () => sampleNow;
  const service = await startTestService({ sample: 'fixed', hasRecords: false, clock, databaseUrl });
  const [apiKey = ''] = Object.values(service.sampleKeys);
  const served = { url: service.url, apiKey };
  try {
    return [
      ...(await typed(served)),
      ...(await typedWithoutKey()),
      ...(await typedByGuest(served)),
      ...(await home(served)),
      ...(await digest(served)),
      ...unasked(),
    ];
  } finally {
    await service.close();
  }
}

type Served = { readonly url: string; readonly apiKey: string };

/** Each command alone, and one example of each combination of flags. */
function exampleLines(): readonly string[] {
  const isOpen = ({ name }: { readonly name: string }) => name !== 'connect' && name !== 'disconnect';
  return Object.values(registry)
    .filter(isOpen)
    .flatMap(({ name, examples }) => {
      const kinds = Map.groupBy(examples, (line) => `${line.includes(' ')} ${line.match(/--\w+|^digest \w+/g)}`);
      return [...new Set([name, ...[...kinds.values()].flatMap(([first = name]) => first)])];
    });
}

/** What a person mistypes, or asks of a workflow in a rare state. */
const rareLines = [
  'stauts paymnts',
  'payments',
  'no-such-workflow',
  'status paymnts',
  'status zzzz',
  'status legacy-payouts',
  'status loyalty-points',
  'status invoice-sync',
  'status payments --foo 1',
  'status payments 500d',
  'executions --status sideways',
  'execution 00000000-0000-4000-8000-000000000000',
  'execution 0000dead',
  'timeline payments --node zz',
  'logs payments --grep zzzz',
  'help digest',
  'help nothing',
  'list zzzz',
];

async function typed(service: Served): Promise<readonly CorpusLine[]> {
  const commands = await startTestCommands({ service });
  const lines: CorpusLine[] = [];
  for (const line of [...exampleLines(), ...rareLines])
    lines.push(...shown(`/workflow ${line}`, await run(commands, line)));
  for (const line of ['list', 'executions'])
    for (const message of (await run(commands, line)).messages)
      lines.push({
        shown: `/workflow ${line}, posted in direct messages or after a mention`,
        payload: asMessage(message),
      });
  lines.push(...(await settings(commands)), ...(await subscription(commands)));
  await commands.close();
  return lines;
}

async function settings(commands: TestCommands): Promise<readonly CorpusLine[]> {
  const values = { visibility: 'ephemeral', readers: 'everywhere', logs: 'nowhere', redaction: 'on' };
  return await submit(commands, 'settings', values);
}

const plan = { channel: 'C1', time: '09:00', weekdays: ['1', '2', '3', '4', '5'], zone: 'Europe/Berlin' };
const choices = { which: 'text', text: 'payments', allClear: 'on', uncertain: 'hold' };
const digestLines = ['list', 'edit', 'pause', 'resume', 'now', 'remove'].map((word) => `digest ${word}`);

/** Sets up a digest, and does with it all that its owner can. */
async function subscription(commands: TestCommands): Promise<readonly CorpusLine[]> {
  const preview = await submit(commands, 'digest', { step: 'fill', ...plan, ...choices });
  const [{ payload } = { payload: undefined }] = preview;
  const metadata = payload && 'view' in payload ? String(payload.view['private_metadata']) : '';
  const lines = [...preview, ...(await submit(commands, 'digest', parseMetadata(metadata).carries))];
  for (const line of ['digest', ...digestLines]) {
    lines.push(...shown(`/workflow ${line}, with a digest in the channel`, await run(commands, line)));
  }
  const [subscribed] = await commands.store.subscriptions.list('T1');
  return JSON.parse(JSON.stringify(lines).replaceAll(subscribed?.id ?? 'no digest', 'd1'));
}

async function typedWithoutKey(): Promise<readonly CorpusLine[]> {
  const commands = await startTestCommands({ service: { url: endpoint, apiKey: '' }, endpoints: [endpoint] });
  const lines = await Promise.all(
    ['status payments', 'connect', 'disconnect', 'digest', 'settings', 'account'].map(async (line) =>
      shown(`/workflow ${line}, before it is connected`, await run(commands, line)),
    ),
  );
  await commands.close();
  return lines.flat();
}

async function typedByGuest(service: Served): Promise<readonly CorpusLine[]> {
  const guests = await startTestCommands({ service, people: everybodyIs('guest') });
  const members = await startTestCommands({ service, people: everybodyIs('member') });
  const lines = [
    ...shown('/workflow status, as a guest', await run(guests, 'status')),
    ...shown('/workflow settings, as a member', await run(members, 'settings')),
    ...shown('/workflow digest, as a member', await run(members, 'digest')),
  ];
  await Promise.all([guests.close(), members.close()]);
  return lines;
}

async function home(service: Served): Promise<readonly CorpusLine[]> {
  const commands = await startTestCommands({ service });
  const view = readRecord(homeView(await commands.homeOf({ teamId: 'T1', userId: 'UHOME' })));
  await commands.close();
  return [{ shown: 'Home', payload: { surface: 'home', view } }];
}

async function digest(service: Served): Promise<readonly CorpusLine[]> {
  await using desk = digestDesk(service, sampleNow);
  const made = await desk.build(digestRequest(sampleNow));
  const messages = made ? [made.root, ...made.replies.map(({ message }) => message)] : [];
  return messages.map((message, index) => ({
    shown: index === 0 ? 'a digest' : 'a reply to it',
    payload: asMessage(message),
  }));
}

/** Notices that nobody asked for, and what a form shows in between. */
function unasked(): readonly CorpusLine[] {
  const digestOf = { subscriptionId: 'd1', channelId: 'C1', dueAt: sampleNow };
  const problems = {
    refused: 'not_in_channel',
    waiting: 'not_connected',
    given_up: 'internal',
    uncertain: 'timeout',
    delayed: 'sharing_needs_scopes',
  };
  const kinds = ['refused', 'waiting', 'given_up', 'uncertain', 'delayed'] as const;
  const installed = { slashCommand: '/workflow', isConnected: false, isOrganization: false };
  const key = { since: sampleNow, organization: 'Acme', isListed: true };
  const messages: readonly (readonly [string, Message])[] = [
    ['installed', workspaces.installedMessage(installed)],
    ['installed again', workspaces.installedMessage({ ...installed, isConnected: true })],
    ['installed in an organization', workspaces.installedMessage({ ...installed, isOrganization: true })],
    [
      'a permission is missing',
      workspaces.missingScopesMessage({ scopes: 'channels:read', installUrl: 'https://bot.example.com/slack/install' }),
    ],
    ['the service refuses the key', workspaces.keyRefusedMessage(key)],
    ['the service is no longer on the list', workspaces.keyRefusedMessage({ ...key, isListed: false })],
    ...kinds.map(
      (kind) => [`a digest: ${kind}`, digestProblemMessage({ ...digestOf, kind, error: problems[kind] })] as const,
    ),
    ['the channel of a digest was deleted', digestEndedMessage({ channelId: 'C1' })],
    ['the service is busy', notices.serviceBusyMessage(4000)],
    ['the service is slow', notices.stillAskingMessage(2000)],
    ['logs in a channel that may not show them', notices.logsRestrictedMessage('logs payments --private')],
    [
      'a form that opens in the channel instead',
      modals.modalButtonMessage({ ...modals.doneModal, title: 'Connect' }, 'connect'),
    ],
  ];
  const views: readonly (readonly [string, Modal])[] = [
    ['a form that loads', modals.loadingModal],
    ['a form that is checked', modals.checkingModal],
    ['a form that was sent already', modals.sentAlreadyModal],
    ['a form that is done', modals.doneModal],
  ];
  return [
    ...messages.map(([what, message]) => ({ shown: `unasked: ${what}`, payload: asMessage(message) })),
    ...views.map(([what, view]) => ({ shown: `unasked: ${what}`, payload: asModal(view) })),
  ];
}

let people = 0;

/** Rate limits are per person. */
function somebody() {
  people += 1;
  return { teamId: 'T1', userId: `UGOLD${people}`, channelId: 'C1' };
}

function run(commands: TestCommands, line: string): Promise<Ran> {
  return commands.run(line, { person: somebody() });
}

function shown(what: string, { messages, modals: views }: Ran): readonly CorpusLine[] {
  // The messages of a thread are posted.
  const asAnswer = messages.length > 1 ? asMessage : asResponse;
  return [...messages.map(asAnswer), ...views.map(asModal)].map((payload) => ({ shown: what, payload }));
}

async function submit(commands: TestCommands, command: string, values: FormValues): Promise<readonly CorpusLine[]> {
  const submitted = await commands.submit({ command, actor: somebody(), values });
  const what = `the form of /workflow ${command}`;
  if ('view' in submitted) return [{ shown: what, payload: asModal(submitted.view) }];
  if (!('message' in submitted) || !submitted.message) throw new Error(`${what}: ${JSON.stringify(submitted)}`);
  return [{ shown: what, payload: asMessage(submitted.message) }];
}

/** As a typed command is answered. */
function asResponse({ text, blocks }: Message): SlackPayload {
  return { surface: 'response', text, blocks: blocks.map(readRecord) };
}

/** As it is posted. */
function asMessage(message: Message): SlackPayload {
  const { text, blocks } = fitMessage(message, '/workflow');
  return { surface: 'message', text, blocks: blocks.map(readRecord) };
}

function asModal(modal: Modal): SlackPayload {
  return { surface: 'modal', view: readRecord(modalView(modal)) };
}
