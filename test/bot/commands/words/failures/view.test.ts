/** View of `failures`. */
import { describe, expect, it } from 'vitest';
import { type FailureList, failuresMessage } from '../../../../../src/bot/commands/words/failures/view.ts';
import { groupByCause, withAges, withCause } from '../../../../../src/bot/insight/causes/cause.ts';
import type { Recurrence } from '../../../../../src/bot/insight/causes/recurrence.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { aHealth, aStreak } from '../../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { ago, anExecution, lastDayWindow, now } from '../../../../support/service/service-data.ts';

const payments = { uuid: 'w-1', name: 'payments' };
const allWorkflows = null;

function list(overrides: Partial<FailureList> = {}): FailureList {
  return {
    workflow: payments,
    causes: causes([anExecution({ startedAt: ago(2) }), anExecution({ startedAt: ago(7) })]),
    healths: [],
    isCut: false,
    isWhole: true,
    counts: { success: 286, failure: 2 },
    asked: overrides.window ?? lastDayWindow,
    window: lastDayWindow,
    provenance: { source: 'live', asOf: now, missing: [] },
    slashCommand: '/workflow',
    now,
    ...overrides,
  };
}

function causes(executions: readonly ReturnType<typeof anExecution>[]) {
  return withAges(groupByCause(executions.map((one) => withCause(one))), (_name, _fingerprint, { first }) => ({
    recurrence: 'new',
    since: first,
  }));
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

  it.each<readonly [Recurrence, RegExp, boolean]>([
    ['new', /· new, classified/, true],
    ['ongoing', /· ongoing \(every run since <!date[^>]*> failed\), classified/, false],
    ['recurring', /· recurring, classified/, false],
    ['not_kept', /· first seen <!date[^>]*> \(too few older runs are kept to call it new\), classified/, false],
    ['unread', /· age not known \(too many older failures to read all\), classified/, false],
    ['unanswered', /· age not known \(older failures could not be read\), classified/, false],
    ['no_text', /· age not known \(failures without an error text cannot be compared\), classified/, false],
  ])('of a cause with the age “%s” say so, or why it is not known', (recurrence, words, isExplained) => {
    const { text } = failuresMessage(
      list({ causes: causes([anExecution()]).map((cause) => ({ ...cause, recurrence })) }),
    );
    expect(text).toMatch(words);
    expect(text.includes('“New” means that all known failures of a cause are within one day.')).toBe(isExplained);
  });

  it('of a cause that is new since before the window say since when', () => {
    const older = causes([anExecution()]).map((cause) => ({ ...cause, since: cause.first - 1000 }));
    expect(failuresMessage(list({ causes: older })).text).toMatch(/· new since <!date[^>]*>, classified/);
  });

  it('of several causes count each age, and the parts add up', () => {
    const ages = ['new', 'recurring', 'recurring', 'unread', 'no_text'] as const;
    const mixed = manyCauses(5).map((cause, index) => ({ ...cause, recurrence: ages[index] ?? 'new' }));
    expect(failuresMessage(list({ causes: mixed })).text).toContain(
      '5 causes: 1 new, 2 recurring, 2 without a known age.',
    );
    expect(failuresMessage(list({ causes: manyCauses(2) })).text).toContain('2 causes: both new.');
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
    const workflow = null;
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
    const { text } = failuresMessage(list({ isCut: true, isWhole: false, counts: { success: 1, failure: 5000 } }));
    expect(text).toContain('the newest 2 failures in the last 24 h');
    expect(text).toMatch(/5,000 in all: those before <!date[^>]*09:53 UTC> are left out/);
  });

  it.each([1, 5, 6, 12, 13, 500])('of %i causes fit Slack', (length) => {
    expectGoodMessage(failuresMessage(list({ causes: manyCauses(length), workflow: allWorkflows })));
  });

  it.each(hostileStrings('text'))('%s as error, name and what was typed is inert and fits', (_id, text) => {
    const failed = anExecution({ workflowName: text, errors: [{ error: text, count: 1 }] });
    expectGoodMessage(failuresMessage(list({ causes: causes([failed]), workflow: allWorkflows })));
    expectGoodMessage(failuresMessage(list({ workflow: { ...payments, name: text } })));
    expectGoodMessage(failuresMessage(list({ causes: [], workflow: { ...payments, name: text } })));
  });
});

describe('no failures', () => {
  it.each<readonly [string, Partial<FailureList>]>([
    [':white_check_mark: payments: no failures in the last 24 h, all 286 finished runs succeeded.', {}],
    ['no failures in the last 24 h, the only finished run succeeded.', { counts: { success: 1, failure: 0 } }],
    [':white_circle: payments: nothing failed and no run finished', { counts: { success: 0, failure: 0 } }],
    [':white_check_mark: payments: no failures in the last 24 h.', { counts: null }],
    [
      ', or none that the query service still keeps.',
      { counts: null, window: { ...lastDayWindow, isMoving: false }, asked: lastDayWindow },
    ],
    [
      ':warning: payments: no failure is listed in the last 24 h, but the query service counts 2 failures and returned none.',
      { counts: { success: 1, failure: 2 } },
    ],
    [':warning: payments: no failures were found in the last 24 h, but the list is incomplete', { isWhole: false }],
  ])('have the text “%s”', (words, overrides) => {
    const message = failuresMessage(list({ causes: [], counts: { success: 286, failure: 0 }, ...overrides }));
    expect(message.text).toContain(words);
    expectGoodMessage(message);
  });

  it('offer a longer window', () => {
    expect(blocksOf({ causes: [] })).toContain('"value":"failures w-1 7d"');
  });
});
