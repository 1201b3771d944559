/**
 * One bot that an Enterprise organization installed as a whole, in the local Slack: two of its workspaces with a key
 * each, people who act outside of their home, and a channel with people of another company.
 */
import { expect, onTestFinished, test } from 'vitest';
import { startBot } from '../../src/bot/compose.ts';
import { interactiveElements } from '../../src/local-slack/interactions/elements.ts';
import type { SlackMessage } from '../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../src/local-slack/state/view.ts';
import { startComposed } from '../support/bot/composed-bot.ts';
import { keyLine } from '../support/bot/store.ts';
import { newSqlite } from '../support/databases/engines.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import { createBrowser } from '../support/slack/installing.ts';
import { localSlack } from '../support/slack/local-slack.ts';
import { startOrganizations } from './organizations.ts';

/** The numbers of the organization's workspaces; the local Slack's first one is not among them. */
const [one, two] = [2, 3];
const signingSecret = 'a-signing-secret-of-this-test';
type Name = Parameters<typeof personId>[0];

async function startOrganization() {
  const services = await startOrganizations(2);
  onTestFinished(services.close);
  const slack = await localSlack({ clock: Date.now });
  const { organization, workspaces } = slack.addOrganization(2);
  slack.configureOAuth({ redirectUrls: ['https://bot.example.com/slack/oauth_redirect'] });
  const log = createMemoryLog();
  const bot = await startBot(
    {
      ...{ mode: 'http', databaseUrl: await newSqlite(), keyring: { kind: 'text', text: keyLine('test') } },
      ...{ slackCommand: '/workflow', logLevel: 'trace', proxy: {}, slackApiUrl: slack.apiUrl },
      ...{ queryServiceUrl: services.url, host: '127.0.0.1', port: 0, publicUrl: 'https://bot.example.com' },
      ...{ slackSigningSecret: signingSecret, slackClientId: slack.clientId, slackClientSecret: slack.clientSecret },
    },
    log.log,
  );
  onTestFinished(bot.stop);
  const origin = bot.origin ?? '';
  await slack.useHttp({ requestUrl: `${origin}/slack/events`, signingSecret });
  onTestFinished(() => slack.useHttp(null));
  const browser = createBrowser(origin);
  const { headers } = await browser.get('/slack/install/begin');
  const by = { user: personId('ada', one), organization: organization.id };
  const back = new URL(slack.authorize(headers.get('location') ?? '', by));
  const page = (await browser.comeBack(Object.fromEntries(back.searchParams))).text;
  const teamIds = workspaces.map(({ teamId }) => teamId);
  return { services, slack, organization, workspaces, teamIds, log, page };
}

type Organization = Awaited<ReturnType<typeof startOrganization>>;

/** @returns the next message of the bot that the person sees in #general of the workspace with this number */
const seen = ({ slack }: Organization, user: string, number: number) =>
  slack.nextMessage({ channel: channelId('general', number), viewer: user, user: personId('workflow' as Name, one) });

async function type(on: Organization, user: string, number: number, line: string): Promise<SlackMessage> {
  const answer = seen(on, user, number);
  const typed = { user, channel: channelId('general', number), text: `/workflow ${line}` };
  expect(await on.slack.command(typed)).toMatchObject({ ok: true });
  return answer;
}

async function press(on: Organization, user: string, message: SlackMessage): Promise<SlackMessage> {
  const button = interactiveElements(message.blocks).find(({ element }) => element['type'] === 'button');
  if (!button) throw new Error('The message has no button.');
  const at = { channel: message.channel, ts: message.ts, blockId: button.blockId };
  const answer = on.slack.nextMessage({ channel: message.channel, viewer: user });
  await on.slack.press({ ...at, user, actionId: String(button.element['action_id']) });
  return answer;
}

/** Fills in the form of `connect` as a person who acts in the workspace with this number. */
async function connect(on: Organization, user: string, number: number, service: number): Promise<void> {
  const isForm = ({ blocks }: SlackView) => blocks.some(({ block_id: id }) => id === 'key');
  const opened = on.slack.nextView({ user, matches: isForm });
  await on.slack.command({ user, channel: channelId('general', number), text: '/workflow connect' });
  const view = await opened;
  const field = interactiveElements(view.blocks).find(({ blockId }) => blockId === 'key');
  const values = { key: { [String(field?.element['action_id'])]: on.services.newKey(service) } };
  expect(await on.slack.submit({ user, view: view.id, values })).toMatchObject({ ok: true });
  await on.log.until('audit entry written');
}

/** Everything that is posted in one workspace, whoever sees it. */
const posted = ({ workspaces }: Organization, index: number) =>
  JSON.stringify(workspaces[index]?.channels.flatMap(({ id }) => workspaces[index]?.history.list(id) ?? []));

test('each workspace of an organization has its own key, and answers of one never appear in the other', async () => {
  const on = await startOrganization();
  const { slack, organization, teamIds, services } = on;
  const [ada, ben] = [personId('ada', one), personId('ben', one)];
  expect(on.page).toContain('Add it to workspaces');
  const early = await slack.command({ user: ben, channel: channelId('general', one), text: '/workflow list' });
  expect(early).toMatchObject({ ok: false, error: 'not_a_command' });
  await slack.changeAccess(organization.id, teamIds, true);
  for (const user of [ada, ben]) slack.addPerson(teamIds[1] ?? '', user);
  await connect(on, ada, one, 0);
  expect((await type(on, ben, two, 'list')).text).toContain('not connected');
  await connect(on, ada, two, 1);
  const [first = '', second = ''] = services.markers;
  expect((await type(on, ben, one, 'list')).text).toContain(first);
  const answer = await type(on, ben, two, 'list');
  expect(answer.text).toContain(second);
  expect(JSON.stringify(await press(on, ben, answer))).toContain(second);
  expect([posted(on, 0).includes(second), posted(on, 1).includes(first)]).toEqual([false, false]);
  await slack.changeAccess(organization.id, teamIds.slice(1), false);
  await on.log.until('workspace uninstalled the bot');
  expect((await type(on, ben, one, 'list')).text).toContain(first);
});

test('people of another company in a shared channel of the organization read the reason and no data', async () => {
  const on = await startOrganization();
  const { slack, organization, teamIds, services } = on;
  const [ada, eva, general] = [personId('ada', one), personId('eva', 1), channelId('general', one)];
  await slack.changeAccess(organization.id, teamIds, true);
  await connect(on, ada, one, 0);
  const answer = await type(on, ada, one, 'list');
  const root = slack.nextMessage({
    channel: general,
    viewer: personId('dev', one),
    matches: ({ viewer }) => viewer === null,
  });
  const shareButton = interactiveElements(answer.blocks).find(({ element }) =>
    String(element['action_id']).startsWith('cmd:share:'),
  );
  await slack.press({
    user: ada,
    channel: general,
    ts: answer.ts,
    actionId: String(shareButton?.element['action_id']),
  });
  const shared = await root;
  slack.addPerson(teamIds[0] ?? '', eva);
  const members = on.workspaces[0]?.channels.find(({ id }) => id === general)?.memberIds ?? [];
  slack.changeChannel(general, { isShared: true, memberIds: [...members, eva] });
  const refusal = /This bot answers only members of this workspace/;
  expect((await press(on, eva, shared)).text).toMatch(refusal);
  const heard = seen(on, eva, one);
  slack.say({ user: eva, channel: general, text: '@workflow-bot list' });
  expect((await heard).text).toMatch(refusal);
  // https://docs.slack.dev/apis/slack-connect: the app's commands are there for members only.
  expect(await slack.command({ user: eva, channel: general, text: '/workflow list' })).toMatchObject({
    ok: false,
    error: 'not_a_command',
  });
  const own = slack.messages({ channel: general, viewer: eva }).filter(({ viewer }) => viewer === eva);
  expect(JSON.stringify(own)).not.toContain(services.markers[0]);
});

test('rights, settings and audit belong to one workspace, also for a person who is in both', async () => {
  const on = await startOrganization();
  const { slack, organization, teamIds } = on;
  const [ada, ben] = [personId('ada', one), personId('ben', one)];
  await slack.changeAccess(organization.id, teamIds, true);
  for (const user of [ada, ben]) slack.addPerson(teamIds[1] ?? '', user);
  // On a busy machine the form has opened already, and has the refusal.
  const refused = Promise.any([
    slack.nextView({ user: ben, matches: ({ blocks }) => JSON.stringify(blocks).includes('Only bot admins') }),
    slack.nextMessage({ viewer: ben, matches: ({ text }) => text.includes('Only bot admins') }),
  ]);
  await slack.command({ user: ben, channel: channelId('general', two), text: '/workflow settings' });
  await refused;
  const opened = slack.nextView({
    user: ada,
    matches: ({ blocks }) => blocks.some(({ block_id: id }) => id === 'guests'),
  });
  await slack.command({ user: ada, channel: channelId('general', two), text: '/workflow settings' });
  const { id: view, blocks } = await opened;
  const guests = interactiveElements(blocks).find(({ blockId }) => blockId === 'guests');
  const values = { guests: { [String(guests?.element['action_id'])]: 'multi_channel' } };
  const saved = seen(on, ada, two);
  expect(await slack.submit({ user: ada, view, values })).toMatchObject({ ok: true });
  await saved;
  const audits = await Promise.all([one, two].map(async (number) => (await type(on, ada, number, 'audit')).text));
  expect(audits.map((text) => text.includes('settings changed'))).toEqual([false, true]);
  expect(audits[1]).toContain('permission refused');
});

test('direct messages and their buttons belong to the workspace in which they were written', async () => {
  const on = await startOrganization();
  const { slack, organization, workspaces, teamIds, services } = on;
  const [ada, ben] = [personId('ada', one), personId('ben', one)];
  await slack.changeAccess(organization.id, teamIds, true);
  for (const user of [ada, ben]) slack.addPerson(teamIds[1] ?? '', user);
  await connect(on, ada, one, 0);
  await connect(on, ada, two, 1);
  const direct = workspaces[1]?.channels.find(({ kind, memberIds }) => kind === 'dm' && memberIds.includes(ben));
  const answer = slack.nextMessage({ channel: direct?.id ?? '', matches: ({ user }) => user !== ben });
  slack.say({ user: ben, channel: direct?.id ?? '', text: 'list' });
  expect((await answer).text).toContain(services.markers[1]);
  expect(JSON.stringify(await press(on, ben, await answer))).toContain(services.markers[1]);
});

test('in Socket Mode the token of an organization serves each of its workspaces with the operator’s key', async () => {
  const services = await startOrganizations(1);
  onTestFinished(services.close);
  const slack = await localSlack({ clock: Date.now });
  const { organization, workspaces } = slack.addOrganization(2);
  const botToken = slack.installOrganization(organization.id).accessToken;
  await slack.changeAccess(
    organization.id,
    workspaces.map(({ teamId }) => teamId),
    true,
  );
  const key = { queryServiceUrl: services.url, queryServiceApiKey: services.newKey(0) };
  const { log } = await startComposed({ ...slack, botToken }, key);
  for (const number of [one, two]) {
    const [user, channel] = [personId('ben', number), channelId('general', number)];
    const answer = slack.nextMessage({ channel, viewer: user, matches: ({ viewer }) => viewer === user });
    await slack.command({ user, channel, text: '/workflow list' });
    expect((await answer).text).toContain(services.markers[0]);
  }
  expect(log.text()).toContain('belongs to an organization');
});
