/** The whole bot with access control in a local Slack that knows the role of each person. */
import { onTestFinished } from 'vitest';
import type { WebLinkTemplates } from '../../../src/bot/domain/web-links.ts';
import type { Store } from '../../../src/bot/store/store.ts';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import type { InputValues } from '../../../src/local-slack/page/protocol.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import type { SlackDriver } from '../slack/driver.ts';
import { replacedAnswer } from '../slack/faults.ts';
import { localSlack } from '../slack/local-slack.ts';
import { createTestBot } from './bot.ts';
import { sampleNow, sampleService, startTestCommands } from './commands.ts';

export type Name = Parameters<typeof personId>[0];
type Channel = Parameters<typeof channelId>[0];

/** Ada is an admin of the workspace, the others are members. */
export type GovernedBot = {
  readonly slack: SlackDriver;
  readonly store: Store;
  readonly time: { now: number };
  readonly teamId: string;
  /** @returns the next message that this person sees in the channel */
  readonly type: (name: Name, line: string, channel?: Channel) => Promise<SlackMessage>;
  /** @returns the modal that opens, once it has its content */
  readonly open: (name: Name, line: string) => Promise<SlackView>;
  /** @returns the text of the modal or of the message that answers, whichever comes */
  readonly answer: (name: Name, line: string) => Promise<string>;
  /** @returns the Home tab that this person sees when they open it */
  readonly home: (name: Name) => Promise<SlackView>;
  /** The next Home with content: on a busy machine the bot first shows that it is still asking. */
  readonly nextHome: (name: Name) => Promise<SlackView>;
  readonly submit: (name: Name, view: SlackView, values: InputValues) => ReturnType<SlackDriver['submit']>;
  readonly direct: (name: Name) => readonly SlackMessage[];
  /** Sets Slack's answer for the people that it is asked about next. */
  readonly says: (user: object, times?: number) => void;
  readonly audited: () => Promise<readonly string[]>;
  /** Accepts no new requests, and finishes the running ones. */
  readonly finish: () => Promise<void>;
};

export type GovernedOptions = {
  /** The links to the platform's web page, which the local Slack reports. */
  readonly webLinks?: WebLinkTemplates;
  readonly hasWorkObjects?: boolean;
};

/** @returns how a test starts a bot of its own */
export function useGovernedBot(options: GovernedOptions = {}): () => Promise<GovernedBot> {
  return () => startGovernedBot(options);
}

/** On a loaded machine, a form's outcome is still in the acknowledgement; modals.test.ts has the late outcomes. */
const acknowledgeWithinMs = 60_000;

async function startGovernedBot({ webLinks = {}, hasWorkObjects = false }: GovernedOptions): Promise<GovernedBot> {
  const time = { now: sampleNow };
  const clock = () => time.now;
  const unfurlDomains = Object.values(webLinks).map((link) => new URL(link ?? '').hostname);
  const slack = await localSlack({ hasHome: true, unfurlDomains, ackTimeoutMs: 2 * acknowledgeWithinMs });
  const commands = await startTestCommands({
    service: await sampleService(),
    clock,
    webLinks,
    people: {
      membershipOf: (person) => bot.membershipOf(person),
      knownMembershipOf: (person) => bot.knownMembershipOf(person),
      knownAdminIds: (teamId) => bot.knownAdminIds(teamId),
    },
    channels: {
      showIn: (...asked) => bot.channels.showIn(...asked),
      linkTo: (...asked) => bot.channels.linkTo(...asked),
      withheldIn: (...asked) => bot.channels.withheldIn(...asked),
    },
  });
  const { dispatch: answer, submit, searchNames, searchZones, homeOf, previews, store } = commands;
  const { botToken, appToken, workspace } = slack;
  const answers = { answer, submit, searchNames, searchZones, homeOf, previews, hasWorkObjects };
  const own = { botToken, appToken, ...answers, store, clock, timing: { acknowledgeWithinMs } };
  const { bot } = createTestBot(slack, own);
  await bot.start();
  onTestFinished(async () => {
    await bot.stop();
    await commands.close();
  });
  return { slack, store, time, teamId: workspace.teamId, ...actingIn(slack, store), finish: bot.finish };
}

function actingIn(
  slack: SlackDriver,
  store: Store,
): Omit<GovernedBot, 'slack' | 'store' | 'time' | 'teamId' | 'finish'> {
  const { teamId } = slack.workspace;
  const command = (name: Name, line: string, channel: string) =>
    slack.command({ user: personId(name), channel, text: `/workflow ${line}` });
  const nextHome = (name: Name) =>
    slack.nextView({
      user: personId(name),
      matches: ({ type, blocks }) =>
        type === 'home' && !blocks.some((block) => blockText(block).includes('Still asking')),
    });
  return {
    type: async (name, line, at = 'general') => {
      const channel = channelId(at);
      const next = slack.nextMessage({ channel, viewer: personId(name) });
      await command(name, line, channel);
      return next;
    },
    open: async (name, line) => {
      // Their Home tab may be rendered again meanwhile.
      const isFilled = ({ type, title }: SlackView) => type === 'modal' && title?.text !== 'One moment';
      const next = slack.nextView({ user: personId(name), matches: isFilled });
      await command(name, line, channelId('general'));
      return next;
    },
    answer: async (name, line) => {
      const channel = channelId('general');
      const seen = [
        slack.nextView({ user: personId(name) }).then((view) => JSON.stringify(view)),
        slack.nextMessage({ channel, viewer: personId(name) }).then(({ text }) => text),
      ];
      await command(name, line, channel);
      return Promise.any(seen);
    },
    nextHome,
    home: async (name) => {
      const next = nextHome(name);
      slack.openHome({ user: personId(name) });
      return next;
    },
    submit: (name, view, values) => slack.submit({ user: personId(name), view: view.id, values }),
    direct: (name) => slack.messages({ channel: directId(name), viewer: personId(name) }),
    says: (user, times = 1) =>
      slack.fail('users.info', replacedAnswer({ ok: true, user: { team_id: teamId, ...user } }), times),
    audited: async () => {
      const entries = await store.audit.page(teamId, 50);
      return entries.map(({ userId, action }) => `${userId} ${action}`).reverse();
    },
  };
}
