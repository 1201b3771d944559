/** The bot in a Slack written from Slack's documentation, over Socket Mode: every command, press, menu, form, shortcut and event. */
import { expect, it, vi } from 'vitest';
import type { JsonRecord } from '../../../src/shared/json.ts';
import {
  commands,
  type DocumentedBot,
  lines,
  manifest,
  startInSocketMode,
} from '../../support/documented-slack/bot.ts';
import type { Act } from '../../support/documented-slack/explore.ts';
import { app, team } from '../../support/documented-slack/workspace.ts';

/** Some five hundred deeds, on a machine that may be busy. */
vi.setConfig({ testTimeout: 400_000 });

const type =
  (line: string): Act =>
  (member) =>
    member.type(line);

/** A person who has a digest. */
function subscribe({ submitForm }: DocumentedBot['explorer']): readonly Act[] {
  return [type('digest'), submitForm, submitForm];
}

const digestWords = commands.find(({ name }) => name === 'digest')?.usage.match(/[a-z]+(?=[|\]])/g) ?? [];

async function typeEverything({ explorer }: DocumentedBot): Promise<void> {
  for (const word of digestWords) {
    const line = `digest ${word}`;
    await explorer.start(`${line} where there is a digest`, ...subscribe(explorer), type(line));
  }
  for (const line of lines) {
    await explorer.start(`/workflow ${line}`, type(line));
    await explorer.start(`@${app.name} ${line}`, (member) => member.mention(line));
    await explorer.start(`${line}, as a direct message`, (member) => member.direct(line));
  }
}

/** Events that no person causes in another way here. https://docs.slack.dev/reference/events, one page each. */
const events: Readonly<Record<string, JsonRecord>> = {
  channel_deleted: { channel: 'C0GONE' },
  channel_shared: { channel: 'C0OPS', connected_team_id: team.id, event_ts: '1.1' },
  channel_unshared: { channel: 'C0OPS', previously_connected_team_id: team.id, is_ext_shared: false, event_ts: '1.1' },
  group_deleted: { channel: 'G0GONE' },
};

/** Caused by what people do. */
const heard = ['app_home_opened', 'app_mention', 'message.im'];

/** What people do rarely, and what Slack does by itself. */
async function doTheRest({ slack, explorer }: DocumentedBot): Promise<void> {
  await explorer.start('the Home', (member) => member.openHome());
  await explorer.start('the shortcut on a message without an execution', async (member) => {
    await member.shortcut(member.write('Good morning.'), shortcut);
  });
  const [execution = ''] = /execution ([0-9a-f-]{36})/.exec(JSON.stringify(slack.workspace.messages))?.slice(1) ?? [];
  await explorer.start('the shortcut on a message with an execution', async (member) => {
    await member.shortcut(member.write(`Look at ${execution}, please.`), shortcut);
  });
  for (const { name } of commands) {
    await explorer.start(`/workflow ${name}, among direct messages`, (member) =>
      member.type(name, `D${member.id.slice(1)}`),
    );
    await explorer.start(`/workflow ${name}, in a channel without the app`, (member) => member.type(name, 'C0OTHER'));
  }
  const share = explorer.deed('ephemeral: button share status');
  const elsewhere: Act = (member) => member.type('status payments', 'C0OTHER');
  await explorer.start('an answer shared in a channel without the app', elsewhere, share);
  await explorer.start('a wrong key', type('connect'), (member) => explorer.submitForm(member, { key: 'wfq_wrong' }));
  const asker = await explorer.start('a mention that is delivered twice', (member) => member.mention('account', 2));
  slack.limitOnce('chat.postMessage', 1);
  await explorer.start('a direct message, at too high a rate', (member) => member.direct('help'));
  await slack.socketMode.refresh();
  await explorer.start('a direct message, over another connection', (member) => member.direct('help'));
  expect(slack.workspace.messages.filter(({ viewer }) => viewer === asker.id)).toHaveLength(1);
}

it('every deed is acknowledged in time, and Slack accepts every answer', async () => {
  const bot = await startInSocketMode();
  const { slack, explorer, event, expectAccepted } = bot;
  await typeEverything(bot);
  await doTheRest(bot);
  await explorer.finish();
  for (const [name, fields] of Object.entries(events)) await event({ type: name, ...fields });
  await explorer.start('/workflow disconnect, when connected', type('disconnect'));
  await explorer.finish();
  await expectAccepted();
  expect(explorer.left()).toBeUndefined();

  const done = [...explorer.done.keys()];
  const forms = commands.filter(({ form }) => form).map(({ name }) => name);
  expect(forms.filter((name) => !done.some((deed) => deed.startsWith(`submit cmd:${name}`)))).toEqual([]);
  for (const mode of ['open', 'replace', 'refresh', 'share']) expect(done.join()).toContain(`: button ${mode} `);
  for (const surface of ['ephemeral', 'posted', 'home']) expect(done.join()).toContain(`${surface}: `);
  // The digest of the first person.
  expect(slack.workspace.messages.filter(({ channel, metadata }) => channel === 'C0P1' && metadata)).not.toEqual([]);
});

const [{ callback_id: shortcut }] = manifest.features.shortcuts;

it('has every shortcut and event of the manifest', () => {
  expect(manifest.features.shortcuts).toHaveLength(1);
  const named: readonly string[] = manifest.settings.event_subscriptions.bot_events;
  expect(named.toSorted()).toEqual([...heard, ...Object.keys(events)].toSorted());
});
