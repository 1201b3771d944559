/** View of `failures`. */
import { describe, expect, it } from 'vitest';
import { type FailureList, failuresMessage } from '../../../../../src/bot/commands/words/failures/view.ts';
import { groupByCause, withCause, withRecurrence } from '../../../../../src/bot/insight/causes/cause.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { aHealth, aStreak } from '../../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { ago, anExecution, lastDayWindow, now } from '../../../../support/service/service-data.ts';

const payments = { uuid: 'w-1', name: 'payments', takenFor: null };
const allWorkflows = { uuid: null, name: null, takenFor: null };

function list(overrides: Partial<FailureList> = {}): FailureList {
  return {
    workflow: payments,
    causes: causes([anExecution({ startedAt: ago(2) }), anExecution({ startedAt: ago(7) })]),
    healths: [],
    isCut: false,
    isWhole: true,
    days: [{ successCount: 286, failureCount: 2 }],
    window: lastDayWindow,
    provenance: { source: 'live', asOf: now, missing: [] },
    slashCommand: '/workflow',
    now,
    ...overrides,
  };
}

function causes(executions: readonly ReturnType<typeof anExecution>[]) {
  return withRecurrence(groupByCause(executions.map((one) => withCause(one))), () => 'new');
}

/** Failures with different causes: causes differ by letters, not by numbers. */
function manyCauses(length: number) {
  const word = (index: number) => [...String(index)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a');
  return causes(
    Array.from({ length }, (_, index) =>
      anExecution({ uuid: `e-${index}`, errors: [{ error: `${word(index)} refused`, count: 1 }] }),
    ),
  );
}

const blocksOf = (overrides: Partial<FailureList>) => JSON.stringify(failuresMessage(list(overrides)).blocks);

describe('failures', () => {
  it('of one cause have one line with its count, times, recurrence and fault', () => {
    const { text } = failuresMessage(list());
    expect(text).toContain(':x: payments: 2 failures in 288 finished runs in the last 24 h, one cause.');
    expect(text).toMatch(
      /connection refused\n2 times in this window, from <!date.*09:53 UTC> to <!date.*09:58 UTC> · new, classified as the workflow’s fault/,
    );
  });

  it('explain “new” and “ongoing” only where one is', () => {
    const explained = (recurrence: 'new' | 'ongoing' | 'recurring') =>
      blocksOf({ causes: causes([anExecution()]).map((cause) => ({ ...cause, recurrence })) }).match(
        /New: |Ongoing: /g,
      );
    expect([explained('new'), explained('ongoing'), explained('recurring')]).toEqual([['New: '], ['Ongoing: '], null]);
  });

  it('show the newest error in full, unless the title is most of it, with its values', () => {
    const refused = 'unknown field "settlementCurrency" in payouts[24]';
    const short = failuresMessage(list({ causes: causes([anExecution({ errors: [{ error: refused, count: 9 }] })]) }));
    expect(short.text).toContain(refused);
    expect(short.text).not.toMatch(/Newest:|<number>/);
    const wrapped = `${'the request was passed on by another gateway: '.repeat(3)}${refused}`;
    const long = failuresMessage(list({ causes: causes([anExecution({ errors: [{ error: wrapped, count: 9 }] })]) }));
    expect(long.text).toContain(`Newest: “${wrapped}”`);
  });

  it('of all workflows begin with what fails now: the worst with its error and what to try, then the others', () => {
    const health = (failed: number, since: number) => aHealth({ state: 'failing', streak: aStreak({ failed, since }) });
    const healths = [
      { name: 'settlement', health: health(3, now - 60_000) },
      { name: 'payments', health: health(5, now - 60_000) },
      { name: 'fx-rates', health: { ...health(2, now - 3_600_000), isFailingNow: false, streak: null } },
    ];
    const workflow = { uuid: null, name: null, takenFor: null };
    const { text } = failuresMessage(list({ workflow, healths }));
    expect(text).toMatch(
      /^:red_circle: Failing now: payments, since <!date[^>]*>\. What to try: .*\.\nAlso failing now: settlement, since <!date[^>]*>\.\n:x: All workflows: /,
    );
  });

  it('have a button each that opens the newest of the cause', () => {
    expect(blocksOf({ causes: manyCauses(5) }).match(/"Investigate \(posts here\)"/g)).toHaveLength(5);
    expect(blocksOf({})).toContain(`"value":"execution ${anExecution().uuid}"`);
  });

  it('of many causes are a list and a menu, and the others are counted', () => {
    const message = failuresMessage(list({ causes: manyCauses(120) }));
    expect(message.text).toContain('and 108 more causes with 108 failures, 88 of them in the menu');
    expect(JSON.stringify(message.blocks)).toContain('"Investigate (posts here)…"');
    expectGoodMessage(message);
  });

  it('of all workflows say which are affected, and how many more', () => {
    const failed = ['a', 'b', 'c', 'd', 'e'].map((workflowName) => anExecution({ workflowName }));
    const { text } = failuresMessage(list({ workflow: allWorkflows, causes: causes(failed) }));
    expect(text).toContain(':x: All workflows: 5 failures');
    expect(text).toContain('In a, b, c and 2 more');
  });

  it('that are only the newest say so, with the start and the total', () => {
    const { text } = failuresMessage(
      list({ isCut: true, isWhole: false, days: [{ successCount: 1, failureCount: 5000 }] }),
    );
    expect(text).toContain('the newest 2 failures in the last 24 h');
    expect(text).toMatch(/There are more of 5,000: those before <!date[^>]*09:53 UTC> are left out/);
  });

  it.each([1, 5, 6, 12, 13, 500])('of %i causes fit Slack', (length) => {
    expectGoodMessage(failuresMessage(list({ causes: manyCauses(length), workflow: allWorkflows })));
  });

  it.each(hostileStrings('text'))('%s as error, name and what was typed is inert and fits', (_id, text) => {
    const failed = anExecution({ workflowName: text, errors: [{ error: text, count: 1 }] });
    expectGoodMessage(failuresMessage(list({ causes: causes([failed]), workflow: allWorkflows })));
    expectGoodMessage(
      failuresMessage(list({ workflow: { ...payments, name: text, takenFor: { kind: 'similar', typed: text } } })),
    );
    expectGoodMessage(failuresMessage(list({ causes: [], workflow: { ...payments, name: text } })));
  });
});

describe('no failures', () => {
  it.each<readonly [string, Partial<FailureList>]>([
    [':white_check_mark: payments: no failures in the last 24 h, all 286 finished runs succeeded.', {}],
    ['no failures in the last 24 h, the one finished run succeeded.', { days: [{ successCount: 1, failureCount: 0 }] }],
    [':white_circle: payments: nothing failed and no run finished', { days: [] }],
    [':white_check_mark: payments: no failures in the last 24 h.', { days: null }],
    [
      ':warning: payments: no failure is listed in the last 24 h, but the service counts 2',
      { days: [{ successCount: 1, failureCount: 2 }] },
    ],
    [':warning: payments: no failures were found in the last 24 h, but the list is incomplete', { isWhole: false }],
  ])('have the text “%s”', (words, overrides) => {
    const message = failuresMessage(list({ causes: [], days: [{ successCount: 286, failureCount: 0 }], ...overrides }));
    expect(message.text).toContain(words);
    expectGoodMessage(message);
  });

  it('offer a longer window', () => {
    expect(blocksOf({ causes: [] })).toContain('"value":"failures w-1 7d"');
  });
});
