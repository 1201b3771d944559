/** The bot in a Slack written from Slack's documentation, over Socket Mode: commands, presses, menus, forms, shortcuts and events. */
import { expect } from 'vitest';
import type { AnyCommand } from '../../../src/bot/commands/framework/command.ts';
import type { JsonRecord } from '../../../src/shared/json.ts';
import { commands, type DocumentedBot, manifest, startInSocketMode } from '../../support/documented-slack/bot.ts';
import type { Inputs, Member } from '../../support/documented-slack/contract/member.ts';
import type { Act, IsWanted } from '../../support/documented-slack/explore.ts';
import { app, type SlackMessage, team } from '../../support/documented-slack/workspace.ts';

export type Extent = {
  /** Typed as `/workflow …`. */
  readonly lines: readonly string[];
  /** Typed in every other place, too. */
  readonly words: readonly AnyCommand[];
  /** How many words about a digest one person types. */
  readonly digestWordsEach: number;
  readonly isWanted: IsWanted;
};

const type =
  (line: string): Act =>
  (member) =>
    member.type(line);

/** A person who has a digest. */
function subscribe({ submitForm }: DocumentedBot['explorer']): readonly Act[] {
  return [type('digest'), submitForm, submitForm];
}

const digestWords = commands.find(({ name }) => name === 'digest')?.usage.match(/[a-z]+(?=[|\]])/g) ?? [];

async function typeLines({ explorer }: DocumentedBot, { lines, words, digestWordsEach }: Extent): Promise<void> {
  for (let at = 0; at < digestWords.length; at += digestWordsEach) {
    const typed = digestWords.slice(at, at + digestWordsEach).map((word) => `digest ${word}`);
    await explorer.start(`${typed} where there is a digest`, ...subscribe(explorer), ...typed.map(type));
  }
  for (const line of lines) await explorer.start(`/workflow ${line}`, type(line));
  for (const {
    name,
    examples: [line = name],
  } of words) {
    await explorer.start(`@${app.name} ${line}`, (member) => member.mention(line));
    await explorer.start(`${line}, as a direct message`, (member) => member.direct(line));
  }
}

/** Events that no person causes in another way here. https://docs.slack.dev/reference/events, one page each. */
const events: Readonly<Record<string, JsonRecord>> = {
  channel_deleted: { channel: 'C0GONE' },
  channel_left: { channel: 'C0OPS' },
  channel_shared: { channel: 'C0OPS', connected_team_id: team.id, event_ts: '1.1' },
  channel_unshared: { channel: 'C0OPS', previously_connected_team_id: team.id, is_ext_shared: false, event_ts: '1.1' },
  group_deleted: { channel: 'G0GONE' },
  group_left: { channel: 'G0SECRET' },
};

/** Caused by what people do. */
const heard = ['app_home_opened', 'app_mention', 'message.im'];

/** From the Home, a message, the direct messages, a thread, and a channel that the app is not in. */
async function comeFromElsewhere({ slack, explorer }: DocumentedBot, { words }: Extent): Promise<void> {
  await explorer.start('the Home', (member) => member.openHome());
  for (const { name } of words) {
    const among: Act = (member) => member.type(name, directOf(member));
    await explorer.start(`/workflow ${name}, among direct messages`, among);
    await explorer.start(`/workflow ${name}, in a channel without the app`, (member) => member.type(name, 'C0OTHER'));
  }
  const share = explorer.deed('ephemeral: button share status');
  const typed: Act = (member) => member.type('status payments', 'C0OTHER');
  await explorer.start('an answer shared in a channel without the app', typed, share);
  await explorer.start('a mention in a thread', async (member) => {
    await member.mention('status payments', { threadTs: member.write('Is payments fine?').ts });
  });
  const inThread: Act = async (member) => {
    const root = slack.workspace.messages.findLast(({ channel }) => channel === directOf(member));
    await member.direct('status payments', root?.ts);
  };
  await explorer.start('a direct message in a thread', (member) => member.direct('help'), inThread);
  const [, execution] = /execution ([0-9a-f-]{36})/.exec(JSON.stringify(slack.workspace.messages)) ?? [];
  expect(execution).toBeDefined();
  for (const words of ['Good morning.', `Look at ${execution}, please.`]) {
    await explorer.start(`the shortcut on “${words}”`, (member) => member.shortcut(member.write(words), shortcut));
  }
}

function directOf({ id }: Member): string {
  return `D${id.slice(1)}`;
}

/** Slack shows errors beside the inputs; the bot shows those that a busy machine finds too late for that above them. */
async function makeMistakes({ slack, explorer }: DocumentedBot): Promise<void> {
  const submit = (line: string, typed: Inputs) =>
    explorer.start(`${line} with a mistake`, type(line), (member) => explorer.submitForm(member, typed));
  for (const [line, typed] of [
    ['digest', { channel: 'C0OTHER' }],
    ['connect', { key: 'wfq_wrong' }],
  ] as const) {
    const { id } = await submit(line, typed);
    const shown = slack.workspace.views.findLast(({ user }) => user === id);
    const isLate = JSON.stringify(shown?.view).includes('"name":"warning"');
    expect(Object.keys(shown?.errors ?? {})).toEqual(isLate ? [] : Object.keys(typed));
  }
}

/** Slack repeats an event, limits a rate, and asks for another connection. */
async function disturb({ slack, explorer }: DocumentedBot): Promise<void> {
  const { id } = await explorer.start('a mention, twice', (member) => member.mention('account', { times: 2 }));
  slack.limitOnce('chat.postMessage', 1);
  await explorer.start('a direct message, at too high a rate', (member) => member.direct('help'));
  await slack.socketMode.refresh();
  await explorer.start('a direct message, over another connection', (member) => member.direct('help'));
  expect(slack.workspace.messages.filter(({ viewer }) => viewer === id)).toHaveLength(1);
}

/** Each deed is acknowledged in time, and Slack accepts each answer. */
export async function expectAcceptedInSocketMode(extent: Extent): Promise<void> {
  const bot = await startInSocketMode();
  const { slack, explorer, admin, expectAccepted } = bot;
  for (const part of [typeLines, comeFromElsewhere, makeMistakes, disturb]) await part(bot, extent);
  await explorer.finish(extent.isWanted);
  await admin.openMessages();
  for (const [name, fields] of Object.entries(events)) await admin.event({ type: name, ...fields });
  await explorer.start('/workflow disconnect, when connected', type('disconnect'));
  await explorer.finish(extent.isWanted);
  // A preview for the person shows if the bot may post there.
  await expectAccepted(['chat.postEphemeral: not_in_channel []']);
  expect(explorer.left(extent.isWanted)).toBeUndefined();

  const done = [...explorer.done.keys()];
  const forms = commands.filter(({ form }) => form).map(({ name }) => name);
  expect(forms.filter((name) => !done.some((deed) => deed.startsWith(`submit cmd:${name}`)))).toEqual([]);
  for (const mode of ['open', 'replace', 'refresh', 'share']) expect(done.join()).toContain(`: button ${mode} `);
  for (const surface of ['ephemeral', 'posted', 'home']) expect(done.join()).toContain(`${surface}: `);
  // The digest of one of the first persons.
  const isDigest = ({ channel, metadata }: SlackMessage) => /^C0P[12]$/.test(channel) && metadata;
  expect(slack.workspace.messages.filter(isDigest)).not.toEqual([]);
}

const [{ callback_id: shortcut }] = manifest.features.shortcuts;

/** Every event of the manifest is caused. */
export const caused = [...heard, ...Object.keys(events)];
