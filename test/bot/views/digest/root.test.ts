/** The digest's first message, for no failure, one, many and too many. */
import { describe, expect, it } from 'vitest';
import { digestRootMessage, failuresLine } from '../../../../src/bot/views/digest/root.ts';
import {
  buckets,
  crowded,
  daily,
  deployment,
  digestFacts,
  digestWindow,
  gone,
  reconciliation,
  rejected,
  silent,
  tallyOf,
} from '../../../support/bot/digest-facts.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { now } from '../../../support/service/service-data.ts';

/** About so many characters fit in a line of a phone 400 pixels wide, and so many lines in 1,200: 53 were 1,167. */
const lineUnits = 44;
const linesMax = 54;
/** With a chart, 55 were 1,197. */
const chartLinesMax = 8;

function linesOf(text: string): number {
  const shown = text.replace(/<!date\^[^|]*\|([^>]*)>/g, '$1');
  return shown.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / lineUnits)), 0);
}

describe('the chart of failures per day', () => {
  const kindsOf = (facts: Parameters<typeof digestRootMessage>[0]) =>
    digestRootMessage(facts).blocks.map(({ type }) => type);

  it('is in a digest with failures and room for it, with its numbers as text', () => {
    const root = digestRootMessage(digestFacts(tallyOf(2, 1), { daily }));
    expect(root.blocks).toContainEqual(
      expect.objectContaining({ type: 'data_visualization', title: 'Failures per day (UTC)' }),
    );
    expect(root.text).toMatch(/Failures per day \(UTC\), 8 Nov to 21 Nov so far: 0 · 1,000 · .* · 13,000\./);
    expectGoodMessage(root);
  });

  it.each([
    ['without failures', digestFacts(undefined, { daily })],
    ['without known days', digestFacts(tallyOf(2, 1))],
    [
      'with fewer days than show a trend',
      digestFacts(tallyOf(2, 1), { daily: { ...daily, buckets: buckets.slice(-4) } }),
    ],
  ])('is not in a digest %s', (_, facts) => {
    expect(kindsOf(facts)).not.toContain('data_visualization');
  });

  it('leaves its numbers if the message has room for them only', () => {
    const root = digestRootMessage(digestFacts(tallyOf(4, 4), crowded));
    expect(root.blocks.map(({ type }) => type)).not.toContain('data_visualization');
    expect(root.text).toContain('Failures per day (UTC), 8 Nov to 21 Nov so far: 0 · 1,000');
  });

  it('is left out if the message fills a screen without it', () => {
    const facts = digestFacts(tallyOf(50, 12), crowded);
    expect(kindsOf(facts)).not.toContain('data_visualization');
  });
});

describe('a rejected deployment', () => {
  it('comes first with its workflow and its time, so that others do not hide it', () => {
    const deployments = [deployment, deployment, deployment, rejected];
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { deployments }));
    expect(text).toMatch(/Deployments: staging <!date[^>]*> \(failed\); payments .* \(active\); and 2 more\./);
    const many = digestRootMessage(
      digestFacts(tallyOf(1, 1), { deployments: [deployment, ...Array(5).fill(rejected)] }),
    );
    expect(many.text).toContain('; and 4 more, 3 of them failed.');
  });

  it('is no “all clear”, and no failed run', () => {
    const { text } = digestRootMessage(digestFacts(undefined, { deployments: [rejected] }));
    expect(text).toContain('no run failed, but 1 deployment failed');
    expect(text).not.toMatch(/All clear|Deployments of these workflows/);
    const idle = digestRootMessage(digestFacts(undefined, { deployments: [rejected], successCount: 0 })).text;
    expect(idle).toMatch(/^:warning: Digest: no run failed, but 1 deployment failed; no run finished/);
  });
});

describe('a digest of', () => {
  it.each([
    [1, 1],
    [2, 1],
    [50, 12],
    [50, 4],
    [5000, 300],
  ])('%i failing workflows and %i causes fits Slack and a screen and a half, with any other facts', (many, causes) => {
    const facts = digestFacts(tallyOf(many, causes, many === 50 ? 'SYSTEM_ERROR' : 'USER_ERROR'), crowded);
    const root = digestRootMessage(facts);
    expectGoodMessage(root);
    expect(linesOf(root.text)).toBeLessThanOrEqual(linesMax);
  });

  it.each([1, 2, 3, 5, 8])('%i failing workflows with a chart fits a screen and a half', (many) => {
    const root = digestRootMessage(digestFacts(tallyOf(many, many), { ...crowded, reconciliation, daily }));
    const chartLines = root.blocks.some(({ type }) => type === 'data_visualization') ? chartLinesMax : 0;
    expect(linesOf(root.text) + chartLines).toBeLessThanOrEqual(linesMax + 1);
  });

  it.each([
    [{ existing: 11, deleted: 1, isAtLeast: false }, '11 of 18 workflows had failures, and so did 1 deleted workflow.'],
    [{ existing: 12, deleted: 0, isAtLeast: false }, '12 of 18 workflows had failures.'],
    [{ existing: 12, deleted: 0, isAtLeast: true }, 'at least 12 of 18 workflows had failures.'],
    [{ existing: 0, deleted: 2, isAtLeast: false }, '2 deleted workflows had failures.'],
    [null, '12 workflows had failures.'],
  ])('workflows %j counts above the line only those that it counts below', (failedWorkflows, words) => {
    const { text } = digestRootMessage(digestFacts(tallyOf(12, 3), { failedWorkflows, workflowCount: 18 }));
    expect(text).toContain(` ${words} 3 causes`);
  });

  it('5,000 failing workflows counts those that it leaves out', () => {
    const { text } = digestRootMessage(digestFacts(tallyOf(5000, 300)));
    expect(text).toContain('5,000 of 6,000 workflows had failures. 300 causes: all new');
    expect(text).toMatch(/^Failures: 10,000 in 5,000 workflows\n• workflow-/m);
  });

  it('several workflows with one platform error has one incident', () => {
    const { text } = digestRootMessage(digestFacts(tallyOf(5, 1, 'SYSTEM_ERROR')));
    expect(text).toMatch(
      /Platform incident, new(?:: 5 workflows began to fail| in this digest: 5 workflows failed) together \(.* and 2 more\), 10 failures from <!date[^>]*> to <!date\^\d+\^{time}[^>]*>.*\./,
    );
    expect(text).not.toContain('ended');
    expect(text).not.toContain('Workflows with');
  });

  it('one workflow has its failed runs, their cause and the fault', () => {
    const name = 'workflow-0-with-a-name-of-some-length';
    const some = digestRootMessage(digestFacts(tallyOf(1, 1), { successes: new Map([[name, 10]]) })).text;
    const all = digestRootMessage(digestFacts(tallyOf(1, 1), { successes: new Map([[name, 0]]) })).text;
    expect(some).toContain(`• ${name}: 2 of 12 runs failed, new cause, workflow’s fault`);
    expect(some).toContain('amberamberamber service was refused: permission denied');
    expect(all).toContain(`• ${name}: both runs failed, new cause`);
  });

  it.each([
    [1, '1 other cause, new'],
    [2, '2 other causes, at least one new'],
  ])('one workflow with %i other causes, a new one among them, claims no more', (otherCauses, words) => {
    const facts = digestFacts(tallyOf(1, 1));
    const failing = facts.failing.map((each) => {
      const main = each.main && { ...each.main, newIn: new Set<string>() };
      return { ...each, main, otherCauses, hasNewCause: true };
    });
    expect(digestRootMessage({ ...facts, failing }).text).toContain(` · ${words}\n`);
  });

  it('hostile names and errors mentions no person and has no link', () => {
    const facts = digestFacts(tallyOf(1, 1));
    const hostile = '<!channel> *x* <https://evil.example|y> <@U0EVIL0001>';
    const failing = facts.failing.map((workflow) => ({ ...workflow, name: hostile }));
    const about = { kind: 'text', text: hostile } as const;
    expectGoodMessage(
      digestRootMessage({
        ...facts,
        about,
        failing,
        gone: { resolved: [gone(hostile)], unseen: [], unproven: [] },
      }),
    );
  });
});

describe('a digest', () => {
  it('says of causes that did not recur which are resolved, and of which that is not known', () => {
    const causes = { resolved: [gone('one')], unseen: [gone('rare')], unproven: ['two', 'three'].map(gone) };
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { gone: causes }));
    expect(text).toMatch(
      /Resolved: “one” .* Gone, maybe by chance: 1 earlier cause\.\nNot known if resolved: 2 earlier causes\.\n/,
    );
    expect(text).toContain('Resolved: at most 2.5 % are wrong.');
  });

  it('states its window in the time zone of the channel', () => {
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { isLate: true }));
    expect(text).toContain('Late: Fri 20 Nov 11:00 to Sat 21 Nov 11:00 (Europe/Berlin)');
  });

  it.each([
    ['of all', { kind: 'all' }, 'All failures'],
    ['of those with a text in their names', { kind: 'text', text: 'pay' }, 'Failures of all workflows'],
    ['of a chosen one', { kind: 'chosen', uuids: ['a'] }, 'All failures'],
    ['of several chosen ones', { kind: 'chosen', uuids: ['a', 'b'] }, 'Failures of all workflows'],
  ] as const)('%s states the workflows whose failures its button lists', (_which, about, label) => {
    const { blocks } = digestRootMessage(digestFacts(tallyOf(1, 1), { about }));
    expect(JSON.stringify(blocks.at(-1))).toContain(`"text":"${label}"`);
  });

  it('that differs from the service’s counts says so, day by day', () => {
    const mismatches = [{ day: Date.parse('2026-11-20'), read: 118, counted: 120 }];
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { reconciliation: { days: 1, mismatches } }));
    expect(text).toContain('counts of failures differ. Fri 20 Nov: bot 118, query service 120.');
    expect(text).not.toContain('match the service’s.');
  });

  it('names the missed digests and the missing parts', () => {
    const missed = [1, 2, 3, 4].map((days) => ({ dueAt: now - days * 86_400_000 }));
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { missed, missing: ['the deployments'] }));
    expect(text).toContain('4 digests skipped: Fri 20 Nov 11:00, Thu 19 Nov 11:00, Wed 18 Nov 11:00 and 1 more.');
    expect(text).toContain('Not known: the deployments.');
  });

  it('names a deleted workflow beside failures, and keeps the warning about failures that were not read', () => {
    const gone = { about: { kind: 'chosen', uuids: ['a', 'b'] }, goneWorkflows: 1, workflowCount: 1 } as const;
    const words = 'he query service no longer lists one of the chosen workflows.';
    expect(digestRootMessage(digestFacts(tallyOf(1, 1), gone)).text).toContain(words);
    expect(digestRootMessage(digestFacts(undefined, { ...gone, failuresNotRead: 2 })).text).toContain(
      `no failure was found, but the query service counts 2 failures, and t${words}`,
    );
  });

  it('names the workflows that fell silent in this window, and counts the earlier ones', () => {
    const { text } = digestRootMessage(
      digestFacts(tallyOf(1, 1), { silent: [silent('fresh', 90), silent('old', 3000)] }),
    );
    expect(text).toMatch(
      /Silent: fresh, no run for 1 h 30 min, expected by <!date[^>]*2026-11-21 08:50 UTC>; and 1 silent before this window\./,
    );
  });

  it('links to the failures of exactly its window', () => {
    const spelled = '2026-11-20T10:00:00.000Z..2026-11-21T10:00:00.000Z';
    expect(failuresLine({ window: digestWindow, about: { kind: 'all' } })).toBe(`failures ${spelled}`);
    expect(failuresLine({ window: digestWindow, about: { kind: 'chosen', uuids: ['u-1'] } })).toBe(
      `failures u-1 ${spelled}`,
    );
  });
});

describe('a digest without a failure is', () => {
  const headOf = (overrides: Parameters<typeof digestFacts>[1]) => {
    const root = digestRootMessage(digestFacts(undefined, overrides));
    expectGoodMessage(root);
    return root.text;
  };

  it('an all-clear of one line', () => {
    const text = headOf({ creditUsed: '3', reconciliation: { days: 1, mismatches: [] } });
    expect(text).toMatch(/^:white_check_mark: All clear: all 12,000 finished runs succeeded\. .*\.$/);
  });

  it.each([
    ['the service counts failures', { failuresNotRead: 2 }, 'but the query service counts 2 failures.'],
    ['rows could not be read', { unreadable: 1 }, 'but 1 failure could not be read.'],
    [
      'no name has the text',
      { about: { kind: 'text', text: 'x' }, workflowCount: 0 },
      'no workflow has “x” in its name.',
    ],
    ['a workflow fell silent', { silent: [silent('fresh', 90)] }, 'nothing failed, but 1 workflow is silent'],
    ['nothing ran', { successCount: 0 }, ':white_circle: Digest: nothing failed, and no run finished'],
  ] as const)('no all-clear if %s', (_, overrides, words) => {
    const text = headOf(overrides);
    expect(text).toContain(words);
    expect(text).not.toMatch(/all clear|white_check_mark/i);
  });

  it('repeats no secret of a text that no name has', () => {
    const text = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    expect(headOf({ about: { kind: 'text', text }, workflowCount: 0 })).not.toContain('0123456');
  });
});

describe('a digest of active workflows that never ran', () => {
  const overdue = ['a', 'b', 'c'].map((name, index) => ({
    name,
    since: now - (9 - index) * 86_400_000,
    isActiveSince: true,
  }));

  it('names the longest active, with the time, and that the schedule is not known', () => {
    const { text } = digestRootMessage(digestFacts(undefined, { neverRan: overdue, successCount: 288 }));
    expect(text).toMatch(
      /^:grey_question: Digest: nothing failed; 3 active workflows never ran; all 288 finished runs/,
    );
    expect(text).toContain('Never ran: a (activated 9 d ago); b (activated 8 d ago); and 1 more; schedule not known.');
  });

  it('names them beside failures', () => {
    const { text } = digestRootMessage(digestFacts(tallyOf(1, 1), { neverRan: overdue.slice(0, 1) }));
    expect(text).toMatch(/^:x: Digest/);
    expect(text).toContain('Never ran: a (activated 9 d ago).');
  });
});

describe('a digest of successes with errors', () => {
  const some = { withErrors: 3, lookedAt: 288, isWhole: true, workflows: new Map(Object.entries({ a: 2, b: 1 })) };

  it('says apart from failures which workflow has them, never with a part of the runs as their number, and is no all-clear', () => {
    const { text } = digestRootMessage(digestFacts(undefined, { withErrors: some, successCount: 288 }));
    expect(text).toMatch(/^:white_check_mark: No failures: all 288 finished runs succeeded, some with errors/);
    expect(text).toContain('Runs of 2 workflows completed with errors.');
    const one = { ...some, isWhole: false, workflows: new Map([['payments-eu', 2]]) };
    const part = digestRootMessage(digestFacts(tallyOf(2, 1), { withErrors: one })).text;
    expect(part).toContain('At least one run of payments-eu completed with errors.');
    expect(part).not.toMatch(/\b288\b/);
  });

  it.each([null, { ...some, withErrors: 0, workflows: new Map() }])('does not mention them without any: %o', (none) => {
    expect(digestRootMessage(digestFacts(undefined, { withErrors: none })).text).not.toContain('with errors');
  });
});
