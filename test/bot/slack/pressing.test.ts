/** Buttons lead from the list of workflows to the true cause of every story of the sample. */
import { describe, expect, it } from 'vitest';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { type Person, pressable, useWholeBot } from '../../support/bot/whole-bot.ts';

const ada = useWholeBot();

/** The steps from a status card on: a button's words, or a menu's with the option's. */
type Step = readonly [words: string, option?: string];

async function cardOf(name: string) {
  const person = await ada();
  return { person, card: await person.press(await person.type('list'), 'Show the status of…', name) };
}

async function follow(person: Person, from: SlackMessage, steps: readonly Step[]): Promise<SlackMessage> {
  let message = from;
  for (const step of steps) message = await person.press(message, ...step);
  return message;
}

describe('the cause of', () => {
  it.each<[string, readonly Step[], Step, RegExp]>([
    ['payments', [], ['Investigate (posts here)'], /workflow’s fault.*settlementCurrency.*deployment/s],
    ['collateral-rebalance', [], ['Investigate (posts here)'], /workflow’s fault.*insufficient allowance/s],
    ['xau-usd-price-feed', [], ['Investigate (posts here)'], /platform’s fault.*certificate has expired/s],
    ['fx-rates', [['All failures'], ['Last 7 days']], ['Investigate (posts here)'], /platform’s fault.*Recurring/s],
    [
      'payments-eu',
      [['All failures']],
      ['quorum not reached'],
      /Several workflows failed this way\. If this comes back/,
    ],
    [
      'eth-usd-price-feed',
      [['Last 7 days'], ['All failures']],
      ['Investigate (posts here)'],
      /quorum not reached.*56 failures in a row/s,
    ],
    ['settlement', [['All failures'], ['Last 7 days']], ['SlippageExceeded'], /workflow’s fault: “SlippageExceeded/],
    ['settlement', [['All failures']], ['quorum not reached'], /Several workflows failed this way/],
    ['proof-of-reserves', [['Last 7 days'], ['All failures']], ['no detail kept'], /the reason is not known/],
    ['risk-model', [], ['Investigate (posts here)'], /quorum not reached/],
    ['<!channel>', [], ['Investigate (posts here)'], /&lt;!channel&gt;/],
    ['Курсы-валют', [], ['Investigate (posts here)'], /истекло время ожидания 8 с/],
  ])('%s is found by %j and %j', async (name, steps, last, cause) => {
    const { person, card } = await cardOf(name);
    expect(await person.investigate(await follow(person, card, steps), ...last)).toMatch(cause);
  });
});

describe('a workflow whose last executions did not fail', () => {
  it.each<[string, readonly Step[], RegExp]>([
    ['payments-staging', [['Deployments'], ['Show one of them…', 'failed']], /the limit is 20 MB/],
    ['carbon-credits', [], /has gone silent: no run for 6 h/],
    ['loyalty-points', [['Deployments']], /paused/],
    ['invoice-sync', [], /has never run/],
    ['legacy-payouts', [['Deployments']], /deleted/],
  ])('%s: its state is explained after the presses %j', async (name, steps, story) => {
    const { person, card } = await cardOf(name);
    expect((await follow(person, card, steps)).text).toMatch(story);
  });

  it.each<[string, Step, RegExp]>([
    ['daily-nav-report', ['Investigate (posts here)…', 'succeeded'], /\d+ lines left out .*in the attached file/s],
    ['risk-model', ['Investigate (posts here)…', 'in progress'], /Now in step/],
    ['payments-eu', ['Investigate (posts here)…', 'succeeded'], /succeeded/],
  ])('an execution of %s is one press from the list of its runs', async (name, step, words) => {
    const { person, card } = await cardOf(name);
    expect(await person.investigate(await person.press(card, 'Runs'), ...step)).toMatch(words);
  });
});

it('every answer about a workflow is at most two presses from its status', async () => {
  const { person, card } = await cardOf('payments');
  const runs = await person.press(card, 'Runs');
  const words = new Set([card, runs].flatMap(pressable));
  const wanted = [
    'Investigate (posts here)',
    'Investigate privately',
    'All failures',
    'Runs',
    'Deployments',
    'Activity',
    'Export',
    'Workflow status',
  ];
  expect(wanted.filter((each) => !words.has(each))).toEqual([]);
});
