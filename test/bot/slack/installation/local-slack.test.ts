/** Two workspaces of the local Slack and one bot that both install, over OAuth and signed HTTP. */
import { expect, onTestFinished, test } from 'vitest';
import { channelId, personId } from '../../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../../support/slack/driver.ts';
import { type InstallBot, publicUrl, startInstallBot } from '../../../support/slack/installing.ts';
import { localSlack, slackNow } from '../../../support/slack/local-slack.ts';
import { signingSecret } from '../../../support/slack/signed-http.ts';

const hourMs = 60 * 60_000;
const left = 'workspace uninstalled the bot';

type Place = {
  readonly slack: SlackDriver;
  readonly teamId: string;
  /** Ada agrees in a browser of her own, or does not. */
  readonly install: (isAllowed?: boolean) => Promise<string>;
  /** @returns what Ada reads of the answer to her command */
  readonly type: (line: string) => Promise<string>;
};

type Town = {
  readonly bot: InstallBot;
  readonly first: Place;
  readonly second: Place;
  readonly pass: (ms: number) => void;
};

/** @param isRotating whether tokens end after twelve hours */
async function town({ isRotating = false } = {}): Promise<Town> {
  let now = slackNow;
  const clock = () => now;
  const slack = await localSlack({ clock });
  slack.configureOAuth({ redirectUrls: [`${publicUrl}/slack/oauth_redirect`], isRotating });
  const there = slack.useWorkspace(slack.addWorkspace(null).teamId);
  const app = { clientId: slack.clientId, clientSecret: slack.clientSecret };
  const bot = await startInstallBot({ slackApiUrl: slack.apiUrl, clock, http: { clock }, app });
  await slack.useHttp({ requestUrl: `${bot.receiver.origin()}/slack/events`, signingSecret });
  onTestFinished(() => slack.useHttp(null));
  const pass = (ms: number) => {
    now += ms;
  };
  return { bot, first: placeIn(slack, bot, 1), second: placeIn(there, bot, 2), pass };
}

function placeIn(slack: SlackDriver, bot: InstallBot, number: number): Place {
  const [user, channel] = [personId('ada', number), channelId('general', number)];
  return {
    slack,
    teamId: slack.workspace.teamId,
    install: async (isAllowed = true) => {
      const browser = bot.browser();
      const { headers } = await browser.get('/slack/install/begin');
      const back = new URL(slack.authorize(headers.get('location') ?? '', { user, isAllowed }));
      return (await browser.comeBack(Object.fromEntries(back.searchParams))).text;
    },
    type: async (line) => {
      const next = slack.nextMessage({ viewer: user, matches: ({ text }) => text.includes(`typed ${line}`) });
      await slack.command({ user, channel, text: `/workflow ${line}` });
      return (await next).text;
    },
  };
}

test('each workspace is answered in its own channels, and gets the next step when it installs the bot', async () => {
  const { bot, first, second } = await town();
  const told = second.slack.nextMessage({ viewer: personId('ada', 2) });
  expect(await first.install()).toContain('Workflow Bot is in');
  expect(await second.install()).toContain('Workflow Bot is in');
  expect((await told).text).toContain('Next, connect this workspace');
  expect(await Promise.all([second.type('here'), first.type('there')])).toEqual(['You typed here', 'You typed there']);
  expect(bot.requests.map(({ line, actor }) => `${line} in ${actor.teamId}`).toSorted()).toEqual(
    [`here in ${second.teamId}`, `there in ${first.teamId}`].toSorted(),
  );
});

test('a person who declines at Slack installs nothing', async () => {
  const { bot, second } = await town();
  expect(await second.install(false)).toContain('was cancelled');
  expect(await bot.store.installations.page('', 9)).toEqual([]);
});

test.each([
  ['the usual order', ['tokens_revoked', 'app_uninstalled']],
  ['the other order', ['app_uninstalled', 'tokens_revoked']],
  ['one alone', ['app_uninstalled']],
  ['the other alone', ['tokens_revoked']],
] as const)(
  'a workspace that uninstalls the bot is removed, and the other is still answered; events: %s',
  async (_, events) => {
    const { bot, first, second, pass } = await town();
    await first.install();
    await second.install();
    pass(1_000);
    await second.slack.uninstall(second.teamId, events);
    await bot.log.until(left);
    expect(await bot.store.installations.openTokens(second.teamId)).toBeUndefined();
    expect(await first.type('still here')).toContain('You typed still here');
  },
);

test('a workspace that uninstalls without an event and installs again is answered again', async () => {
  const { bot, second, pass } = await town();
  await second.install();
  pass(1_000);
  await second.slack.uninstall(second.teamId, []);
  pass(1_000);
  await second.install();
  expect(await second.type('back')).toContain('You typed back');
  expect(bot.log.messages()).not.toContain(left);
});

test('expiring tokens are replaced while commands are answered', async () => {
  const { bot, first, pass } = await town({ isRotating: true });
  await first.install();
  const used = new Set<string | undefined>();
  for (const hours of [9, 2, 8, 13, 30]) {
    pass(hours * hourMs);
    expect(await first.type(`after ${hours}`)).toContain('You typed');
    used.add((await bot.store.installations.openTokens(first.teamId))?.botToken);
  }
  await bot.log.until('slack token refreshed', 3);
  expect(used.size).toBe(4);
  expect(bot.log.text()).not.toMatch(/xoxe/);
});
