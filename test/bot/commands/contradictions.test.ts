/** Every story of the sample through every answer about it: none contradicts another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgedMax, queryHealth } from '../../../src/bot/health/workflow-health.ts';
import type { Health } from '../../../src/bot/insight/health/health.ts';
import type { Workflow } from '../../../src/bot/query/results.ts';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import { digestRootMessage } from '../../../src/bot/views/digest/root.ts';
import { homeView } from '../../../src/bot/views/home/home.ts';
import {
  type SampleService,
  sampleNow,
  sampleService,
  startTestCommands,
  type TestCommands,
} from '../../support/bot/commands.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { createTestQuery } from '../../support/bot/query.ts';

let service: SampleService;
let commands: TestCommands;
let judged: readonly { readonly workflow: Workflow; readonly health: Health }[];
let digest: DigestFacts;

beforeAll(async () => {
  service = await sampleService();
  commands = await startTestCommands({ service });
  await using query = createTestQuery(service.url, service.apiKey, { clock: () => sampleNow });
  const { data } = await query.ask().everyWorkflow();
  judged = (await queryHealth(query.ask(), data.slice(0, judgedMax), sampleNow, true)).data;
  await using desk = digestDesk(service, sampleNow);
  digest = await desk.facts(digestRequest(sampleNow));
});
afterAll(() => commands.close());

const type = async (line: string) => (await commands.type(line)).text;

/** What a text says of a workflow now. A streak of two is “both runs”, and “every run” beside the numbers of a window. */
function said(text: string) {
  const [, all, since] = /(?:all ([\d,]+) runs|both runs|every run) since <!date\^(\d+)\^/.exec(text) ?? [];
  const [, inARow, from] = /still failing, ([\d,]+) in a row since <!date\^(\d+)\^/.exec(text) ?? [];
  return {
    streak: (all ?? inARow)?.replaceAll(',', '') ?? null,
    since: since ?? from ?? null,
    deployed: / after the deployment of <!date\^(\d+)\^/.exec(text)?.[1] ?? null,
    isSilent: /gone silent|\bSilent:|\(silent\)/.test(text),
    isRecovered: /\b[Rr]ecovered\b/.test(text),
  };
}

async function homeText(): Promise<string> {
  const view = homeView(await commands.homeOf({ teamId: 'T1', userId: 'U1' }));
  return view.blocks.map((block) => blockText(block)).join('\n');
}

/** Signs of names that a message writes in another way. */
const written: Readonly<Record<string, string>> = { '<': '(?:<|&lt;)', '>': '(?:>|&gt;)', '*': '[*∗]' };

/** @returns a name as messages write it, for a regular expression */
const shownName = (name: string) => name.replace(/[^\p{L}-]/gu, (sign) => written[sign] ?? `\\${sign}`);

describe('the answers about each workflow', () => {
  it('have the same streak and since, silence and recovery in status, failures, executions, list, Home, the digest and its last run', async () => {
    const [list, home] = [await type('list'), await homeText()];
    const root = digestRootMessage(digest).text;
    const states = new Set<string>();
    for (const { workflow, health } of judged) {
      const { uuid, name } = workflow;
      const { streak, silence, recovery, verdict } = health;
      states.add(verdict);
      const expected = {
        streak: streak === null ? null : String(streak.failed),
        since: streak === null ? null : String(Math.floor(streak.since / 1000)),
        deployed: streak?.deployedAt ? String(Math.floor(streak.deployedAt / 1000)) : null,
        isSilent: silence !== null,
        isRecovered: recovery !== null,
      };
      expect({ name, ...said(await type(`status ${uuid}`)) }).toEqual({ name, ...expected });
      for (const line of [`failures ${uuid}`, `executions ${uuid}`]) {
        expect({ line, name, ...said(await type(line)) }).toEqual({ line, name, ...expected, streak: null });
      }
      const row = new RegExp(`^:\\w+: ${shownName(name)}(?: \\(.*)? · .*$`, 'm').exec(list)?.[0] ?? '';
      expect(row, name).not.toBe('');
      expect(row.includes(`failing since <!date^${expected.since}^`)).toBe(streak !== null);
      expect({ name, isSilent: row.includes('(silent'), isRecovered: /[(,] ?recovered/.test(row) }).toEqual({
        ...{ name, isSilent: expected.isSilent, isRecovered: expected.isRecovered },
      });
      const line = new RegExp(`^• ${shownName(name)}: .*$`, 'm').exec(home)?.[0] ?? '';
      const { streak: inARow, since, deployed } = said(line);
      expect({ name, streak: inARow, since, deployed }).toEqual({
        ...{ name, streak: expected.streak, since: expected.since, deployed: expected.deployed },
      });
      const told = new RegExp(`^• ${shownName(name)}: .*$`, 'm').exec(root)?.[0] ?? '';
      if (streak !== null) expect(said(told)).toMatchObject({ streak: expected.streak, since: expected.since });
      else expect(told).not.toMatch(/runs? since/);
      if (told.includes('recovered')) expect(told).toMatch(/ failed \(recovered: [^)]*succeeded\), /);
      expect(root.includes(`Silent: ${name}`)).toBe(silence !== null);
      if (workflow.executedAt === null || verdict === 'inactive') continue;
      const { root: thread } = await commands.investigate(`execution ${uuid}`);
      expect({ name, isSilent: said(thread.text).isSilent }).toEqual({ name, isSilent: silence !== null });
      expect({ name, isFailing: thread.text.includes('still failing') }).toEqual({
        name,
        isFailing: health.isFailingNow,
      });
      if (streak !== null) expect(said(thread.text)).toMatchObject({ streak: expected.streak, since: expected.since });
    }
    expect(judged.some(({ health: { streak } }) => streak?.deployedAt)).toBe(true);
    expect([...states]).toEqual(
      expect.arrayContaining(['failing', 'silent', 'recovered', 'unstable', 'healthy', 'inactive']),
    );
  });
});

it('the workflows that fail now come in one order in list, Home and the digest', async () => {
  const failing = judged.filter(({ health }) => health.isFailingNow).map(({ workflow: { name } }) => name);
  const inOrder = (text: string, ofName: (name: string) => string) =>
    failing.toSorted((one, other) => text.indexOf(ofName(one)) - text.indexOf(ofName(other)));
  const listed = inOrder(await type('list'), (name) => `: ${name} `);
  expect(failing.length).toBeGreaterThan(1);
  expect(inOrder(await homeText(), (name) => `• ${name}: `)).toEqual(listed);
  expect(inOrder(digestRootMessage(digest).text, (name) => `• ${name}: `)).toEqual(listed);
});

it('workflows with the same failures in the last day have the same verdict, whatever their newest five runs', () => {
  const verdictOf = (name: string) => judged.find(({ workflow }) => workflow.name === name)?.health.verdict;
  expect([verdictOf('payments-eu'), verdictOf('proof-of-reserves')]).toEqual(['recovered', 'recovered']);
});

it('the cause of one run in twenty is resolved in no digest', async () => {
  await using desk = digestDesk(service, sampleNow);
  const { window, ...rest } = digestRequest(sampleNow);
  for (const hours of [0, 6, 12, 18, 24, 36]) {
    const moved = { from: window.from - hours * 3_600_000, to: window.to - hours * 3_600_000 };
    const { gone } = await desk.facts({ ...rest, window: moved });
    expect(gone?.resolved.flatMap(({ workflows }) => workflows)).not.toContain('Курсы-валют');
  }
});

describe('a workflow that fails now and then', () => {
  const causeIn = (text: string) => /(?:Main c|C)ause: “([^”]*)”/.exec(text)?.[1];
  const dateIn = (text: string) => /(?:new since|at least since|New since|from) <!date\^(\d+)\^/.exec(text)?.[1];

  it('has the same cause, since when it has it, and what to try in status, failures, executions, and Home as in the thread of its failures', async () => {
    const unstable = judged.filter(({ health }) => health.intermittent?.main);
    expect(unstable.map(({ workflow: { name } }) => name)).toEqual(
      expect.arrayContaining(['xau-usd-price-feed', 'fx-rates', 'settlement']),
    );
    const home = await homeText();
    for (const { workflow, health } of unstable) {
      const { uuid, name } = workflow;
      const { age, isRepeated } = health.intermittent?.main ?? {};
      const failures = await type(`failures ${uuid}`);
      const status = await type(`status ${uuid}`);
      const [entry = ''] = new RegExp(`^• ${shownName(name)}: [^•]*`, 'm').exec(home) ?? [];
      const texts = [status, failures, await type(`executions ${uuid}`), entry].map((text) =>
        text.split('What to try:'),
      );
      const since = String(Math.floor((age?.since ?? 0) / 1000));
      for (const [before = '', after = ''] of texts) {
        expect({ name, cause: causeIn(before) }).toEqual({ name, cause: causeIn(status) ?? 'a cause' });
        expect({ name, since: dateIn(before) }).toEqual({ name, since });
        expect({ name, isRepeated: /has come back/.test(after.split('\n')[0] ?? '') }).toEqual({
          name,
          isRepeated,
        });
      }
      const page = JSON.stringify((await commands.run(`executions ${uuid} --status failed`)).messages);
      const [, newest = ''] = /execution ([0-9a-f-]{36})/.exec(page) ?? [];
      const { root, replies } = await commands.investigate(`execution ${newest}`);
      const facts = replies.find(({ name: reply }) => reply === 'verdict')?.message.text ?? '';
      expect({ name, isRepeated: root.text.includes('has come back') }).toEqual({ name, isRepeated });
      expect({ name, isNew: /New (?:cause|since)/.test(facts) }).toEqual({ name, isNew: age?.recurrence === 'new' });
      const rise = /Fails more often.* since <!date\^(\d+)\^/.exec(facts)?.[1];
      if (rise !== undefined && age?.recurrence === 'new') expect({ name, since: rise }).toEqual({ name, since });
    }
  });
});

describe('what to try with a workflow that fails now', () => {
  const adviceIn = (text: string) => /What to try: ([^.]*\.)/.exec(text)?.[1];

  it('is the same in every answer about it, with the words of its newest error', async () => {
    const failing = judged.filter(({ health }) => health.isFailingNow);
    expect(failing.map(({ workflow: { name } }) => name)).toEqual(expect.arrayContaining(['payments']));
    for (const { workflow, health } of failing) {
      const { uuid, name } = workflow;
      const { root } = await commands.investigate(`execution ${uuid}`);
      const words = health.streak?.failure?.errors[0]?.error.includes('settlementCurrency')
        ? 'settlementCurrency'
        : 'allowance';
      for (const word of ['status', 'failures', 'executions', 'activity', 'deployment', 'deployments']) {
        const text = await type(`${word} ${uuid}`);
        const [first = '', second = ''] = text.split('\n');
        expect({ word, name, advice: adviceIn(second) }).toEqual({ word, name, advice: adviceIn(root.text) });
        expect(first).toContain(words);
        expect(text).not.toContain(':white_check_mark: deployed');
        expect(text).not.toContain(':white_check_mark: Deployment');
      }
    }
  });

  it('is said once of the worst, in the first lines of each answer about all', async () => {
    const status = await type('status payments');
    for (const text of await Promise.all(['failures', 'executions', 'activity', 'list'].map(type))) {
      const [first = '', second = ''] = text.split('\n');
      expect(`${first}\n${second}`).toMatch(
        /Failing now: payments, since <!date[^>]*>; newest error: “.*settlementCurrency/,
      );
      expect(adviceIn(text)).toBe(adviceIn(status));
      expect(text.split('What to try')).toHaveLength(2);
    }
  });

  it.each([
    ['a digest', async () => digestRootMessage(digest).text],
    ['Home', homeText],
  ])('is said of each in %s, below its error', async (_where, textOf) => {
    const text = await textOf();
    for (const name of ['payments', 'collateral-rebalance']) {
      const [entry = ''] = new RegExp(`• ${name}: [^•]*`).exec(text) ?? [];
      expect(adviceIn(entry)).toBe(adviceIn(await type(`status ${name}`)));
    }
  });
});

describe('a workflow that does not run says so in every answer about it', () => {
  it.each([
    ['invoice-sync', /[Nn]ever ran|has never run/],
    ['loyalty-points', /paused/],
    ['legacy-payouts', /deleted/],
  ])('%s', async (name, words) => {
    for (const command of ['status', 'failures', 'executions', 'list']) {
      const [first = ''] = (await type(`${command} ${name}`)).split(command === 'list' ? '\u0000' : '\n');
      expect(`${command}: ${first}`).toMatch(words);
    }
  });
});

/** The age of each cause of `failures`, by the start of its last failure. @throws if a cause has no age and no reason why */
function agesIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => /^(?:Once|[\d,]+ times) (?:in this window|in this list)/.test(line));
  return new Map(
    lines.map((line) => {
      const dates = [...(line.split(' · ')[0] ?? '').matchAll(/<!date\^(\d+)/g)].map(([, at = '']) => at);
      const [, age, since = dates[0]] =
        / · (new|ongoing|recurring|first seen|age not known)(?: since <!date\^(\d+))?/.exec(line) ?? [];
      if (age === undefined) throw new Error(`No age: ${line}`);
      return [dates.at(-1) ?? '', age === 'new' ? `new since ${since}` : age];
    }),
  );
}

describe('the age of each cause', () => {
  it('is the same in windows of an hour, a day, a week and a month, of its workflow and of all, and its parts add up', async () => {
    const found = new Map<string, Set<string>>();
    const note = (key: string, age: string) => found.set(key, (found.get(key) ?? new Set()).add(age));
    for (const { uuid } of [{ uuid: '' }, ...judged.map(({ workflow }) => workflow)]) {
      for (const window of ['1h', '24h', '7d', '30d']) {
        const text = await type(`failures ${uuid} ${window}`);
        for (const [last, age] of agesIn(text)) {
          // Of several workflows the first date is the earliest of theirs.
          note(`${uuid} ${last}`, age);
          note(last, age.split(' ')[0] ?? '');
        }
        const [, causes, parts = ''] = / (\d+) causes: ([^.]*)\./.exec(text) ?? [];
        if (causes === undefined || parts.startsWith('all ')) continue;
        expect((parts.match(/\d+/g) ?? []).reduce((sum, part) => sum + Number(part), 0)).toBe(Number(causes));
      }
    }
    expect([...found].filter(([, ages]) => ages.size > 1)).toEqual([]);
    const all = [...found.values()].flatMap((ages) => [...ages]);
    for (const age of [/^new since/, /^recurring/, /^age not known/])
      expect(all).toContainEqual(expect.stringMatching(age));
  });

  it('of a workflow that has failed for weeks is recurring although the window reaches back to the oldest run that is kept', async () => {
    expect(await type('failures fx-rates 30d')).toMatch(/\d+ times in this window.* · recurring,/);
  });
});

describe('each cause of a digest', () => {
  it('by which a workflow fails now comes before an incident that has ended', () => {
    const names = digest.shown.map(({ workflows }) => [...workflows.keys()]);
    expect(names.slice(0, 2).flat().toSorted()).toEqual(['collateral-rebalance', 'payments']);
    expect(digest.shown[2]?.incident?.workflows.length).toBeGreaterThan(2);
  });

  it('is new or recurring in the digest as in failures, and as in the thread of its newest run', async () => {
    const all = await type('failures');
    const labels = (word: string) => all.split(` · ${word}`).length - 1;
    for (const word of ['new', 'recurring'] as const) {
      expect(labels(word)).toBe(digest.causes.filter(({ recurrence }) => recurrence === word).length);
    }
    for (const { recurrence, sample, cause } of digest.causes) {
      const { replies } = await commands.investigate(`execution ${sample.uuid}`);
      const text = replies.find(({ name }) => name === 'verdict')?.message.text ?? '';
      const found = {
        title: cause.title,
        isNew: /New (?:cause|since)/.test(text),
        isRecurring: text.includes('Recurring'),
      };
      expect(found).toEqual({
        ...{ title: cause.title, isNew: recurrence === 'new', isRecurring: recurrence === 'recurring' },
      });
    }
  });
});
