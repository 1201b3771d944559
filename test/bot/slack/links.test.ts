/** Pasted links to the platform's web page: the channel reads name and state, each person reads what they may. */
import { describe, expect, it, test } from 'vitest';
import { createWebLinks } from '../../../src/bot/domain/web-links.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { type GovernedBot, type Name, useGovernedBot } from '../../support/bot/governed-bot.ts';
import { replacedAnswer } from '../../support/slack/faults.ts';

const webLinks = {
  workflow: 'https://app.example.com/workflows/{workflowUuid}',
  execution: 'https://app.example.com/runs/{executionUuid}',
};
const governed = useGovernedBot({ webLinks });
const withWorkObjects = useGovernedBot({ webLinks, hasWorkObjects: true });
const general = channelId('general');
const uuidPattern = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** @returns the address of the workflow payments, or of its newest execution */
async function addressFrom(bot: GovernedBot, line: 'status payments' | 'executions payments'): Promise<string> {
  const { blocks } = await bot.type('ada', line);
  const [word, prefix] = line.startsWith('status') ? ['status', 'workflows'] : ['execution', 'runs'];
  const [, uuid] = new RegExp(`"${word} (${uuidPattern.source})`).exec(JSON.stringify(blocks)) ?? [];
  if (uuid === undefined) throw new Error('No button names the id.');
  return `https://app.example.com/${prefix}/${uuid}`;
}

/** A person pastes a text. @returns the previews, once the bot has handled the event */
function paste(bot: GovernedBot, text: string, name: Name = 'ada', channel = general) {
  const message = bot.slack.say({ user: personId(name), channel, text });
  if (!message) throw new Error('The person cannot write there.');
  const unfurls = () =>
    bot.slack.messages({ channel, viewer: personId(name) }).find(({ ts }) => ts === message.ts)?.unfurls ?? [];
  return { message, unfurls };
}

const previewed = async ({ unfurls }: ReturnType<typeof paste>) => {
  await expect.poll(unfurls).not.toEqual([]);
  return JSON.stringify(unfurls());
};

describe('a pasted link', () => {
  it('to a workflow expands to its name and state, and nothing else', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'status payments');
    const { unfurls, ...pasted } = paste(bot, `look at ${url}?tab=runs please`);
    const shown = await previewed({ unfurls, ...pasted });
    expect(shown).toContain(`${url}?tab=runs`);
    expect(shown).toMatch(/payments.*(failing|unstable|healthy|completed with errors)/);
    expect(shown).not.toMatch(/last 24 h|button|runs failed/i);
    expect(unfurls()).toHaveLength(1);
  });

  it('to an execution expands to the name of its workflow and its result', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'executions payments');
    expect(await previewed(paste(bot, url))).toMatch(/run of .*payments.*: .*(failed|succeeded|completed)/);
  });

  it('is one Work Object where they are enabled, whose details each person opens for themselves', async () => {
    const bot = await withWorkObjects();
    const url = await addressFrom(bot, 'status payments');
    const pasted = paste(bot, url);
    expect(await previewed(pasted)).toMatch(/"entityUrl":"https:.*Status: /);
    const next = bot.slack.nextView({ user: personId('ben') });
    bot.slack.openDetails({ user: personId('ben'), channel: general, ts: pasted.message.ts, url });
    const pane = JSON.stringify((await next).blocks);
    expect(pane).toMatch(/Details: .*runs.*Runs: \d/);
    expect(pane).not.toMatch(/<!date|&lt;|:red_circle:/);
  });

  it('shows the details of an execution', async () => {
    const bot = await withWorkObjects();
    const url = await addressFrom(bot, 'executions payments');
    const pasted = paste(bot, url);
    await previewed(pasted);
    const next = bot.slack.nextView({ user: personId('ada') });
    bot.slack.openDetails({ user: personId('ada'), channel: general, ts: pasted.message.ts, url });
    expect(JSON.stringify((await next).blocks)).toMatch(/Details: .*payments/);
  });

  it('falls back to blocks where Slack drops the Work Object with a warning, or refuses it', async () => {
    for (const answer of [
      { ok: true, warning: 'invalid_metadata_format' },
      { ok: false, error: 'invalid_metadata' },
    ]) {
      const bot = await withWorkObjects();
      const url = await addressFrom(bot, 'status payments');
      bot.slack.fail('chat.unfurl', { ...replacedAnswer(answer), isCarriedOut: false });
      expect(await previewed(paste(bot, url))).toMatch(/payments.*"entityUrl":null/);
    }
  });
});

/** @returns true if the bot asked Slack to show a preview; an own link of Ada's elsewhere shows that the event was handled */
async function isSilent(bot: GovernedBot, { unfurls }: ReturnType<typeof paste>, url: string) {
  await previewed(paste(bot, url, 'ada', channelId('random')));
  return unfurls().length === 0;
}

describe('no preview', () => {
  it('for a link of a guest, who may not read', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'status payments');
    expect(await isSilent(bot, paste(bot, url, 'fay'), url)).toBe(true);
    expect(await bot.audited()).not.toContain(`${personId('fay')} permission refused`);
  });

  it('in a channel with people of another company', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'status payments');
    await bot.slack.shareChannel(general, true);
    expect(await isSilent(bot, paste(bot, url), url)).toBe(true);
  });

  it('in a channel in which the settings do not let everybody read, also of an admin’s link', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'status payments');
    const readerChannels = [channelId('random')];
    await bot.store.settings.change(bot.teamId, { readerChannels }, personId('ada'), bot.time.now);
    bot.time.now += 120_000;
    expect(await isSilent(bot, paste(bot, url), url)).toBe(true);
  });

  it('for an unknown id, and for another address', async () => {
    const bot = await governed();
    const url = await addressFrom(bot, 'status payments');
    const unknown = url.replace(uuidPattern, '00000000-0000-4000-8000-000000000000');
    expect(await isSilent(bot, paste(bot, `${unknown} https://app.example.com/help`), url)).toBe(true);
  });
});

test('the details are refused to a guest in the pane itself', async () => {
  const bot = await withWorkObjects();
  const url = await addressFrom(bot, 'status payments');
  const pasted = paste(bot, url);
  await previewed(pasted);
  const next = bot.slack.nextView({ user: personId('fay') });
  bot.slack.openDetails({ user: personId('fay'), channel: general, ts: pasted.message.ts, url });
  const pane = JSON.stringify((await next).blocks);
  expect(pane).toContain('guest of this workspace');
  expect(pane).not.toMatch(/Status:|payments/);
});

test('a link is read by the operator’s templates only', () => {
  const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';
  const { read } = createWebLinks({
    ...webLinks,
    execution: 'https://App.example.com/w/{workflowUuid}/runs/{executionUuid}',
  });
  const workflow = { kind: 'workflow', uuid };
  expect(read(`https://APP.example.com/workflows/${uuid.toUpperCase()}/#x`)).toEqual(workflow);
  expect(read(`https://app.example.com/w/${uuid}/runs/${uuid}?a=1`)).toEqual({ kind: 'execution', uuid });
  for (const url of [
    `http://app.example.com/workflows/${uuid}`,
    `https://app.example.com.evil.com/workflows/${uuid}`,
    `https://app.example.com/workflows/${uuid}0`,
    `https://app.example.com/workflows/${uuid.slice(1)}`,
    `https://app.example.com/x/workflows/${uuid}`,
    'https://app.example.com/workflows/{workflowUuid}',
    `https://app.example.com/workflows/${uuid}?${'x'.repeat(3_000)}`,
    '',
  ]) {
    expect(read(url), url).toBeUndefined();
  }
});
