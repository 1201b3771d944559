/** The order and the groups of judged workflows. */
import { expect, it } from 'vitest';
import { byUrgency, byVerdict, type JudgedWorkflow, verdicts } from '../../../../src/bot/insight/health/health.ts';
import { aHealth, aJudged, aStreak } from '../../../support/insight/health.ts';
import { regularSilence } from '../../../support/insight/silences.ts';

type Workflow = { readonly uuid: string; readonly name: string; readonly status: string };
const now = Date.UTC(2026, 10, 21, 10);
const workflow = (name: string): Workflow => ({ uuid: `uuid of ${name}`, name, status: 'ACTIVE' });
const names = (judged: readonly JudgedWorkflow<Workflow>[]) => judged.map((each) => each.workflow.name);

it('the most urgent verdict is first, failing before silent before without an execution', () => {
  const judged = verdicts.map((verdict) => aJudged(verdict, workflow(verdict), now)).toReversed();
  expect(names(byUrgency(judged))).toEqual([...verdicts]);
  expect(verdicts.slice(0, 3)).toEqual(['failing', 'silent', 'never_ran']);
});

it('within a verdict the longest silence is first, then the most failures, then the name', () => {
  const silent = (name: string, forMs: number) => ({
    workflow: workflow(name),
    health: aHealth({ silence: regularSilence(0, forMs, 1) }),
    counts: null,
  });
  const failing = (name: string, failure: number) => ({
    workflow: workflow(name),
    health: aHealth({ state: 'failing' }),
    counts: { total: 9, success: 0, failure },
  });
  const judged = [silent('short', 5), silent('long', 9), failing('b', 1), failing('a', 1), failing('most', 7)];
  expect(names(byUrgency(judged))).toEqual(['most', 'a', 'b', 'long', 'short']);
});

it('a short streak of a workflow that fails now and then is after the longer ones, however many its failures', () => {
  const failing = (name: string, failed: number, failure: number) => ({
    workflow: workflow(name),
    health: aHealth({ state: 'failing', streak: aStreak({ failed, since: now }) }),
    counts: { total: 96, success: 96 - failure, failure },
  });
  const judged = [failing('flaky', 2, 25), failing('some', 5, 5), failing('all', 81, 96)];
  expect(names(byUrgency(judged))).toEqual(['all', 'some', 'flaky']);
});

it('every workflow is in one group, and no group is empty', () => {
  const judged = ['healthy', 'silent', 'healthy'] as const;
  const groups = byVerdict(judged.map((verdict, index) => aJudged(verdict, workflow(`${index}`), now)));
  expect([...groups].map(([verdict, group]) => [verdict, names(group)])).toEqual([
    ['silent', ['1']],
    ['healthy', ['0', '2']],
  ]);
});
