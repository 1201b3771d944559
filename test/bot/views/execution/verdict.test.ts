/** The message about one execution. */
import { describe, expect, it } from 'vitest';
import type { CapabilityCall } from '../../../../src/bot/insight/executions/timeline.ts';
import {
  type ExecutionVerdict,
  verdictMessage,
  verdictProgressMessage,
  verdictRootMessage,
} from '../../../../src/bot/views/execution/verdict.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { cause, verdict } from '../../../support/insight/verdicts.ts';
import { minuteMs, now } from '../../../support/service/service-data.ts';

function callOf(capability: string, method: string, errors: CapabilityCall['errors'] = []): CapabilityCall {
  const times = { startMs: 0, endMs: 500, durationMs: 500, timeFault: null };
  return { capability, method, status: 'COMPLETED', state: 'succeeded', ...times, errors, isOnCriticalPath: true };
}

const before = { failed: 0, total: 212, from: now - 10_000 * minuteMs, to: now - 40 * minuteMs };
const blame = {
  kind: 'blamed' as const,
  previous: { uuid: 'd-0', status: 'ACTIVE', deployedAt: '2026-11-20T08:00:00Z' },
  deployment: { uuid: 'd', status: 'ACTIVE', deployedAt: new Date(now - 40 * minuteMs).toISOString() },
  before,
  after: { failed: 31, total: 40, from: now - 40 * minuteMs, to: now },
  beganAfterMs: 4 * minuteMs,
  byChance: 0.004,
  isReplaced: false,
};
const { kind: _, isReplaced: __, beganAfterMs: ___, ...numbers } = blame;
const thin = { ...numbers, kind: 'thin' as const, reason: 'few' as const, beganAt: null };
const rise = {
  since: now - 1_072 * minuteMs,
  isExact: true,
  before: { ...before, failed: 2, total: 20_160 },
  after: { failed: 2_140, total: 2_144, from: now - 1_072 * minuteMs, to: now },
  isPrevailing: true,
  isOver: false,
};

/** A streak of one up to this run. */
function firstOf(hasLater: boolean) {
  return { count: 1, hasLater, isCut: false, since: now, sameCauseCount: 1, comparedCount: 1 };
}

function rootText(known: Partial<ExecutionVerdict> = {}): string {
  return verdictRootMessage(verdict(known)).text;
}

describe('the verdict', () => {
  it('names the failed call, the fault, the start, the duration and the number of nodes', () => {
    const { text } = verdictMessage(verdict());
    const [root] = rootText().split('\n');
    const [head] = text.split('\n');
    expect(root).toMatch(
      /^:x: payments failed \(<!date.*>; still failing, 80 in a row since <!date.*\), classified as the workflow’s fault: “unknown field "x"”$/,
    );
    // The error is the headline of the thread, and in full right below.
    expect(head).toMatch(/^:x: payments failed \(<!date[^>]*>\)$/);
    expect(text).toContain('9 of 9 nodes: “payout run failed: 422: unknown field "x"”');
    expect(text).toMatch(/80 failures in a row, all with this cause, since <!date/);
    expect(text).toMatch(/Last good run: <!date.*\n/);
    expect(text).toContain('Took 4.1 s');
  });

  it('begins with the fault of some nodes that explains the others, as probable, with its evidence', () => {
    const rootCause = {
      text: 'x509: certificate has expired',
      nodes: ['node-2', 'node-4', 'node-5', 'node-6', 'node-7', 'node-9'],
      ...{ nodeCount: 6, nodesTotal: 9, at: now - 5_000, link: 'counted' as const, isNew: true },
      effect: { text: 'no quorum: 3 of 9 responses', at: now - 1_000 },
    };
    const rootOf = (given: typeof rootCause | typeof one) => rootText({ rootCause: given });
    const { text } = verdictMessage(verdict({ rootCause }));
    expect(rootOf(rootCause)).toMatch(
      /^:x: payments failed .*, probably because of 6 of 9 nodes: “x509: certificate has expired”\n/,
    );
    expect(text).toMatch(
      /Probable cause: 6 of 9 nodes \(node-2, node-4, node-5 and 3 more\) reported “[^”]*” from <!date.*, 4 s before .*first error; the last good run did not log it\. The error of the other nodes counts 3 answers, and as many nodes are without this error: “no quorum: 3 of 9 responses”/,
    );
    const one = { ...rootCause, nodes: ['node-7'], nodeCount: 1, at: null, link: 'named' as const, isNew: false };
    const named = verdictMessage(verdict({ rootCause: one })).text;
    expect(rootOf(one)).toMatch(/probably because of node-7: “x509/);
    expect(named).toMatch(/Probable cause: 1 of 9 nodes \(node-7\) reported “[^”]*”\. .* names this node: “no quorum/);
    for (const [, hostile] of hostileStrings('text')) {
      expectGoodMessage(verdictMessage(verdict({ rootCause: { ...rootCause, text: hostile, nodes: [hostile] } })));
    }
  });

  it('says that the nodes disagree if none of their groups has a majority', () => {
    const disagreeing = [3, 3, 2].map((size) => ({
      nodes: Array.from({ length: size }, (_, index) => `node-${index}`),
    }));
    expect(verdictMessage(verdict({ disagreeing })).text).toContain(
      'The nodes disagree: no majority, groups of 3 / 3 / 2',
    );
  });

  it('calls a success with errors neither a plain success nor a failure, and names the step if one is known', () => {
    const run = { status: 'SUCCESS', detailedStatus: 'COMPLETED_WITH_ERRORS', errors: [], hasNotRecovered: false };
    const { text } = verdictMessage(verdict(run));
    expect(text).toMatch(/^:warning: payments completed with errors \(<!date/);
    expect(text).toContain('but not in which step');
    const call = callOf('evm@1.0.0', 'read', [{ error: 'timeout', count: 2 }]);
    const named = verdictMessage(verdict({ ...run, flawedCalls: [{ index: 0, call }] })).text;
    expect(named).toContain('had errors on 2 nodes');
    expect(named).not.toContain('but not in which step');
    const plain = verdictMessage(verdict({ ...run, detailedStatus: 'COMPLETED' })).text;
    expect(plain).toMatch(/^:white_check_mark: payments succeeded/);
  });

  it('calls a failure a failure, whatever its detailed status', () => {
    expect(verdictMessage(verdict({ detailedStatus: 'COMPLETED_WITH_ERRORS' })).text).toMatch(/^:x: payments failed/);
  });

  it('blames a deployment with its numbers, and otherwise does not mention deployments', () => {
    const { text } = verdictMessage(verdict({ blame }));
    expect(text).toMatch(
      /Failures began 4 min after the deployment of <!date.*>: 0 of the last 212 runs failed before, 31 of 40 \(78 %\) after; the chance of this coincidence is 0.4 %, if/,
    );
    expect(rootText({ blame })).toMatch(/roll back to the version [^.]*deployed <!date[^>]*>\. Then compare/);
    expect(verdictMessage(verdict()).text).not.toContain('Failures began');
  });

  it.each<[string, NonNullable<ExecutionVerdict['blame']>, RegExp]>([
    [
      'none came in the time looked at',
      { kind: 'none_came', from: now - 1_500 * minuteMs, to: now },
      /No deployment took effect between <!date.*> and <!date/,
    ],
    [
      'one came, but too few executions ran since',
      { ...thin, after: { ...thin.after, failed: 1, total: 2 } },
      /There was a deployment \(<!date.*, but it may not be the cause: 0 of the last 212 runs failed before, 1 of 2 \(50 %\) after/,
    ],
    [
      'one came after the failures began',
      { ...thin, reason: 'earlier', beganAt: now - 50 * minuteMs },
      /the failures began before it \(<!date/,
    ],
    [
      'one came, the first of all',
      { ...thin, before: { ...before, total: 0 }, after: { ...thin.after, failed: 3, total: 3 } },
      /it may not be the cause: no run before, 3 of 3 \(100 %\) failed after/,
    ],
    [
      'one came, and no run since',
      { ...thin, after: { ...thin.after, failed: 0, total: 0 } },
      /: 0 of the last 212 runs failed before, no run after;/,
    ],
    ['one came, and the rate is as before', { ...thin, reason: 'no_rise' }, /\(78 %\) after; no clear rise after it$/m],
    [
      'one came, as often happens',
      { ...thin, reason: 'chance', byChance: 0.08 },
      /the chance of this coincidence is 8 %, if deployments come at random/,
    ],
    [
      'the deployments could not be read',
      { kind: 'unread', what: 'deployments' },
      /Not known if .* the deployments could/,
    ],
    [
      'the counts could not be read',
      { kind: 'unread', what: 'counts' },
      /Not known if .* the number of runs before and/,
    ],
    [
      'it never succeeded',
      { kind: 'never_good', since: now - 90 * minuteMs, failed: 18, isAtLeast: true },
      /No run has succeeded since the first deployment \(<!date.*\): at least 18 failures/,
    ],
  ])('says why no deployment is blamed: %s', (_reason, finding, words) => {
    expect(verdictMessage(verdict({ blame: finding })).text).toMatch(words);
  });

  it('says since when it fails more often, and that it still does although single executions succeed', () => {
    const recovered = { recovery: { at: now, isFirst: true }, streak: null, rise };
    expect(rootText(recovered)).toMatch(
      /^:[a-z]+: payments failed \(<!date.*; still failing, 2,140 of 2,144 runs since <!date/,
    );
    expect(verdictMessage(verdict(recovered)).text).toMatch(
      /Fails more often since <!date.*: 2,140 of 2,144 runs failed \(99.8 %\); before, from <!date.*, 2 of 20,160 runs failed/,
    );
    expect(verdictMessage(verdict({ ...recovered, rise: { ...rise, isExact: false } })).text).toContain('since about');
    const over = verdictMessage(verdict({ ...recovered, rise: { ...rise, isPrevailing: false, isOver: true } })).text;
    expect(over).toMatch(/Failed more often from <!date[^>]*> to about <!date[^>]*>: 2,140 of 2,144 runs failed/);
  });

  it('has one number for a streak, also if one of two counts was read a moment later', () => {
    const streak = {
      count: 80,
      hasLater: false,
      isCut: false,
      since: rise.since,
      sameCauseCount: 80,
      comparedCount: 80,
    };
    const later = { ...rise, after: { ...rise.after, failed: 81, total: 81 } };
    const facts = verdict({ rise: later, streak, hasNotRecovered: true, blame: null });
    expect(verdictRootMessage(facts).text).toContain('still failing, 80 in a row since');
    expect(verdictMessage(facts).text).not.toMatch(/81|Fails more often/);
  });

  const recovery = { at: now, isFirst: true };
  const age = { recurrence: 'recurring', since: now - 2880 * minuteMs } as const;
  const recurrence = { age, others: 23, isCut: false, first: now - 2880 * minuteMs, last: now - 60 * minuteMs };
  const neverGood = { kind: 'never_good', since: now - 90 * minuteMs, failed: 18, isAtLeast: false } as const;
  const elsewhere = {
    ...{ workflows: ['settlement'], withinMs: 15 * minuteMs, isCut: false },
    usual: { expected: 0.01, isChance: false },
  };

  it.each<[string, Partial<ExecutionVerdict>, string]>([
    ['SYSTEM_ERROR', {}, 'give the platform’s support the run’s id'],
    ['SYSTEM_ERROR', { elsewhere }, 'tell the platform’s support that several workflows failed this way, and give'],
    [
      'SYSTEM_ERROR',
      { elsewhere: { ...elsewhere, usual: { expected: 0.4, isChance: true } } },
      'give the platform’s support the run’s id',
    ],
    ['SYSTEM_ERROR', { elsewhere: { ...elsewhere, usual: null } }, 'give the platform’s support the run’s id'],
    ['SYSTEM_ERROR', { recovery }, 'nothing now. If this comes back, tell the platform’s support.'],
    [
      'SYSTEM_ERROR',
      { recovery, missingCalls: [{ capability: 'a', method: null }] },
      'check that a later run did what this run left undone',
    ],
    ['SYSTEM_ERROR', { recovery, elsewhere }, 'nothing now. Several workflows failed this way. If this comes back'],
    ['SYSTEM_ERROR', { recovery, recurrence }, 'tell the platform’s support that this has come back'],
    ['SYSTEM_ERROR', { recurrence, oddNodes: ['node-7'] }, 'the run’s id and which nodes differ'],
    ['USER_ERROR', {}, 'Then look for what changed outside the workflow when the failures began: a permission'],
    ['USER_ERROR', { blame: { kind: 'none_came', from: 0, to: now } }, 'No deployment came shortly before, so look'],
    ['USER_ERROR', { blame: thin }, 'Compare the last deployment before the failures (numbers in the thread)'],
    ['USER_ERROR', { blame: { ...thin, reason: 'earlier' } }, 'The last deployment came later, so look'],
    [
      'USER_ERROR',
      { blame: { kind: 'unread', what: 'deployments' } },
      'It is not known whether a deployment is the cause: check whether one came',
    ],
    ['USER_ERROR', { blame: neverGood }, 'The workflow has never succeeded since its first deployment'],
    ['USER_ERROR', { blame: { ...blame, isReplaced: true } }, 'Later deployments have not ended the failures'],
    ['USER_ERROR', { blame, recovery }, 'nothing now. Compare the version deployed <!date'],
    ['USER_ERROR', { blame, recovery, rise }, 'roll back to the version deployed <!date'],
    ['USER_ERROR', { recovery, recurrence, rise }, 'fix what the error describes'],
    ['USER_ERROR', { recurrence }, 'handle this error in the workflow: the error has come back'],
    ['USER_ERROR', { recovery }, 'nothing now. If the error comes back'],
    [
      'USER_ERROR',
      { recovery, recurrence },
      'handle this error in the workflow: the workflow has succeeded again, but',
    ],
    ['USER_ERROR', { streak: firstOf(false) }, 'this may be a one-off failure'],
    ['USER_ERROR', { streak: firstOf(true) }, 'fix what the error describes'],
    ['USER_ERROR', { errors: [], recovery }, 'read the logs of this run'],
  ])('after a %s with %j advises: %s', (classifiedStatus, known, advice) => {
    expect(rootText({ cause: { ...cause, classifiedStatus }, ...known })).toContain(advice);
  });

  it('says whether a cause is new or recurring, if that is known', () => {
    const text = (known: Partial<ExecutionVerdict>) => verdictMessage(verdict(known)).text;
    const none = { ...recurrence, age: { recurrence: 'new', since: now } as const, others: 0 };
    expect(text({ recurrence })).toMatch(/Recurring: 23 other failures with this cause, from <!date.* to <!date/);
    expect(text({ recurrence: { ...recurrence, others: 1, last: age.since } })).toMatch(/Recurring: one .*, <!date/);
    const bare = text({ recurrence: { ...recurrence, isCut: true }, errors: [] });
    expect(bare).toMatch(/at least 23 other failures without an error text/);
    expect(text({ recurrence: none })).toContain('New cause: no failure with this cause is known before');
    expect(text({ recurrence: { ...none, others: 3 } })).toMatch(/New since <!date.*: 3 other failures .*, none is/);
    expect(text({ recurrence: { ...none, age } })).toMatch(/\n• Cause: first seen <!date[^>]*>\n/);
    expect(text({ recurrence: { ...none, age: { ...age, recurrence: 'unread' } } })).toMatch(
      /age not known \(too many/,
    );
  });

  it('names the other workflows that failed this way at that time', () => {
    const workflows = Array.from({ length: 9 }, (_, index) => `workflow-${index}`);
    const text = (known: Partial<NonNullable<ExecutionVerdict['elsewhere']>>) =>
      verdictMessage(verdict({ elsewhere: { ...elsewhere, ...known } })).text;
    expect(text({})).toContain(
      'Not alone: 1 other workflow failed this way within 15 min of this run: settlement; usually none in that time',
    );
    expect(text({ usual: { expected: 1.8, isChance: false } })).toContain('; usually 2 in that time');
    expect(text({ usual: { expected: 0.4, isChance: true } })).toContain('; that may be chance');
    expect(text({ usual: null })).toContain('the usual number is not known');
    expect(text({ workflows })).toMatch(/9 other workflows failed .*workflow-5 and 3 more/);
    expect(text({ workflows: [] })).toContain('Only this workflow failed this way within 15 min of this run');
    expect(text({ workflows: [], isCut: true })).not.toContain('this way');
  });

  it('names the calls of good runs that this one did not reach', () => {
    const missingCalls = Array.from({ length: 5 }, (_, index) => ({ capability: `step-${index}`, method: 'Run' }));
    const text = (count: number) => verdictMessage(verdict({ missingCalls: missingCalls.slice(0, count) })).text;
    expect(text(0)).not.toContain('Not done');
    expect(text(1)).toContain('Did not run: step-0 Run\n');
    expect(text(5)).toContain('Did not run: step-0 Run, step-1 Run, step-2 Run and 2 more steps\n');
  });

  it('names a node that differs from the others, and none if many do', () => {
    const text = (oddNodes: readonly string[]) => verdictMessage(verdict({ oddNodes })).text;
    expect(text(['node-7'])).toContain('node-7 differs from the other nodes: see the logs');
    expect(text(['n1', 'n2', 'n3', 'n4'])).not.toContain('from the other nodes');
  });

  it('calls the newest success after it the first one only if that is known', () => {
    const text = (known: Partial<ExecutionVerdict>) => verdictMessage(verdict(known)).text;
    expect(rootText({ recovery })).toMatch(/^:warning: payments failed \(<!date[^)]*\}[^)]*; succeeded again <!date/);
    expect(text({ recovery: { at: now, isFirst: false } })).toMatch(/It has succeeded since, most recently <!date/);
    expect(text({ hasNotRecovered: false })).not.toContain('succeeded since');
  });

  it('quotes the error with the values that the title of its cause leaves out', () => {
    const error =
      'engine: run failed: POST https://x.example/v2: 422: unknown field "settlementCurrency" in payouts[26]';
    const title = 'POST x.example/v2: 422: unknown field … in payouts[…]';
    const { text } = verdictRootMessage(verdict({ errors: [{ error, count: 9 }], cause: { ...cause, title } }));
    expect(text).toMatch(
      /fault: “POST https:\/\/x\.example\/v2: 422: unknown field "settlementCurrency" in payouts\[26\]”\n/,
    );
  });

  it('does not quote an error in the headline and nearly in full below it', () => {
    const errors = [{ error: 'fetching: no answer within 10 s', count: 9 }];
    const { text } = verdictMessage(verdict({ errors, cause: { ...cause, title: 'no answer within 10 s' } }));
    expect(text).toMatch(/failed \(<!date[^>]*>\)\nError\n• 9 of 9 nodes: “fetching: no answer within 10 s”\n/);
  });

  it('starts with the fault if the error is long', () => {
    const error = `${'engine: handler: '.repeat(20)}execution reverted: insufficient allowance`;
    const title = 'execution reverted: insufficient allowance';
    const { text } = verdictRootMessage(verdict({ errors: [{ error, count: 9 }], cause: { ...cause, title } }));
    expect(text.split('\n')[0]).toMatch(/fault: “execution reverted: insufficient allowance”$/);
  });

  it('mentions that an error of fewer nodes may be the reason', () => {
    const errors = [
      { error: 'no agreement', count: 8 },
      { error: 'certificate expired', count: 1 },
    ];
    expect(verdictMessage(verdict({ errors })).text).toMatch(
      /8 of 9 nodes: “no agreement”\n• 1 of 9 nodes: “certificate expired”/,
    );
    const uncounted = [{ error: 'no agreement', count: 0 }];
    expect(verdictMessage(verdict({ errors: uncounted })).text).toContain('• Some nodes: “no agreement”');
  });

  it('of a single failure does not mention failures in a row', () => {
    expect(verdictMessage(verdict({ streak: firstOf(false) })).text).toMatch(
      /The first failure since the last good run \(<!date/,
    );
  });

  it('of more failures than are known says “or more”, and of mixed ones how many are of this cause', () => {
    const streak = { count: 100, hasLater: false, isCut: true, since: null, sameCauseCount: 60, comparedCount: 100 };
    const text = (known: Partial<typeof streak>) => verdictMessage(verdict({ streak: { ...streak, ...known } })).text;
    expect(text({})).toContain('100 or more failures in a row, 60 of the newest 100 with this cause');
    expect(text({ sameCauseCount: 100 })).toContain('100 of the newest 100 with this cause');
    const whole = { count: 2_140, isCut: false };
    expect(text(whole)).toContain('2,140 failures in a row, 60 of the newest 100 with this cause');
    expect(rootText({ streak: { ...streak, ...whole } })).toContain('still failing, 2,140 in a row)');
  });

  it('says that the platform kept no error text', () => {
    expect(verdictMessage(verdict({ errors: [] })).text).toContain('The platform kept no error text');
  });

  it.each([
    [
      'certain',
      'own_error',
      'Failed in step 3, http@1 Send: it reported the last error of all steps, and the run’s error contains that error',
    ],
    ['likely', 'shared_error', 'Probably failed in step 3, http@1 Send: its error is part of the run’s error, but'],
    [
      'likely',
      'recovered_error',
      'Probably failed in step 3, http@1 Send: its error is part of the run’s error, but a later',
    ],
    ['likely', 'named', 'Probably failed in step 3, http@1 Send: the run’s error names it'],
    ['likely', 'last', 'Probably failed in step 3, http@1 Send: it was the last to go wrong'],
    ['possible', 'unfinished', 'May have failed in step 3, http@1 Send: no end reported'],
  ] as const)('names the failing step as %s with its evidence (%s)', (certainty, evidence, words) => {
    const failing = { index: 2, call: callOf('http@1', 'Send'), certainty, evidence };
    expect(verdictMessage(verdict({ failing })).text).toContain(words);
  });

  it.each(['SUCCESS', 'IN_PROGRESS', 'VANISHED'])('of an execution that is %s claims no failure', (status) => {
    const message = verdictMessage(verdict({ status, errors: [], finishedAt: null }));
    expect(message.text).not.toMatch(/failed|What to try|in a row/);
    expectGoodMessage(message);
  });

  it('shows the time of its data, since a thread is read for days', () => {
    expect(verdictMessage(verdict()).text).toMatch(/As of <!date/);
    expect(verdictMessage(verdict()).text).not.toContain('live');
  });

  it('of a running execution names the running step, and has Refresh', () => {
    const call = callOf('evm:write@1.0.0', 'WriteReport');
    const running = verdict({
      status: 'IN_PROGRESS',
      finishedAt: null,
      errors: [],
      runningCalls: [{ index: 2, call }],
    });
    const { text, blocks } = verdictMessage(running);
    expect(text).toContain('Running for 2 min so far\n• Now in step 3, evm:write@1.0.0 WriteReport');
    expect(JSON.stringify(blocks)).toContain('"Refresh"');
  });

  it('of a success names the steps that had errors', () => {
    const call = callOf('http-actions@1.0.0', 'SendRequest', [{ error: 'timeout', count: 2 }]);
    const { text } = verdictMessage(verdict({ status: 'SUCCESS', errors: [], flawedCalls: [{ index: 1, call }] }));
    expect(text).toContain('Succeeded although step 2, http-actions@1.0.0 SendRequest, had errors on 2 nodes');
  });

  it('has in its root what happened and what to try, and no more', () => {
    expect(rootText().split('\n')).toEqual([
      expect.stringMatching(/^:x: payments failed /),
      expect.stringMatching(/^:point_right: What to try: /),
    ]);
    expectGoodMessage(verdictProgressMessage('payments'));
  });

  it.each([0, 1, 3, 500])('with %i errors fits Slack and counts what it leaves out', (length) => {
    const errors = Array.from({ length }, () => ({ error: 'x'.repeat(9000), count: 1 }));
    const message = verdictMessage(verdict({ errors }));
    expectGoodMessage(message);
    if (length > 3) expect(message.text).toContain('497 other errors');
  });

  it.each(hostileStrings('text'))('%s in a name, a title and an error is inert and fits', (_id, string) => {
    const errors = [{ error: string, count: 9 }];
    const message = verdictMessage(verdict({ workflowName: string, cause: { ...cause, title: string }, errors }));
    expectGoodMessage(message);
    expectGoodMessage(verdictRootMessage(verdict({ workflowName: string })));
  });
});
