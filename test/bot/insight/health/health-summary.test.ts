/** Health summary of all workflows. */
import { expect, it } from 'vitest';
import { summarizeHealth, withSilences } from '../../../../src/bot/insight/health/health-summary.ts';
import { regularSilence } from '../../../support/silences.ts';

const workflow = (name: string, status = 'ACTIVE', uuid = `uuid of ${name}`) => ({ uuid, name, status });
const at = (minute: number) => Date.UTC(2026, 10, 21, 10, minute);
const failure = (workflowName: string, minute: number, endMinute = minute) => {
  const [startedAt = '', finishedAt = ''] = [minute, endMinute].map((each) => new Date(at(each)).toISOString());
  return { workflowName, startedAt, finishedAt };
};
type Workflow = ReturnType<typeof workflow>;

/** At noon of that day, so that no failure is of the last hour; the last runs are not known. */
function glance(workflows: readonly Workflow[], failures: readonly ReturnType<typeof failure>[], more: object = {}) {
  return summarizeHealth({ workflows, failures, executedAt: new Map<string, number>(), now: at(120), ...more });
}
const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

it('lists the most failures first, and among equals the most recent', () => {
  const failures = [failure('a', 1), failure('b', 2), failure('b', 9), failure('c', 5)];
  const { failing } = glance(
    ['a', 'b', 'c'].map((name) => workflow(name)),
    failures,
  );
  expect(failing.map(({ name, count, lastAt }) => [name, count, new Date(lastAt).getUTCMinutes()])).toEqual([
    ['b', 2, 9],
    ['c', 1, 5],
    ['a', 1, 1],
  ]);
});

it('separates inactive from fine workflows, by name; a failed one is neither', () => {
  const workflows = [workflow('z'), workflow('a'), workflow('paused', 'PAUSED'), workflow('broken', 'FAILED')];
  const { failing, inactive, fine } = glance(workflows, [failure('broken', 1)]);
  expect([names(failing), names(inactive), names(fine)]).toEqual([['broken'], ['paused'], ['a', 'z']]);
});

it('names no workflow if a failure’s name belongs to none or to two', () => {
  const workflows = [workflow('twin', 'ACTIVE', 'one'), workflow('twin', 'DELETED', 'other')];
  const { failing, inactive, fine } = glance(workflows, [failure('twin', 1), failure('gone', 2)]);
  expect(failing.map(({ name, workflow: found }) => [name, found])).toEqual([
    ['gone', null],
    ['twin', null],
  ]);
  expect([inactive, fine]).toEqual([[], []]);
});

it('is empty without workflows', () => {
  expect(glance([], [])).toEqual({ failing: [], silent: [], neverRan: [], inactive: [], fine: [] });
});

it('moves only silent workflows out of the fine ones, the longest silent first', () => {
  const workflows = ['a', 'b', 'c', 'failed'].map((name) => workflow(name));
  const silent = (forMs: number) => regularSilence(0, forMs, 1);
  const silences = new Map([
    ['uuid of a', silent(5)],
    ['uuid of c', silent(9)],
    ['uuid of failed', silent(7)],
  ]);
  const summary = withSilences(glance(workflows, [failure('failed', 1)]), silences);
  expect([names(summary.silent.map((one) => one.workflow)), names(summary.fine)]).toEqual([['c', 'a'], ['b']]);
  expect(names(summary.failing)).toEqual(['failed']);
});

it('puts those first that fail now, in their newest run or within the hour, and last those that have run again since', () => {
  const workflows = ['again', 'unknown', 'newest', 'long', 'flaky'].map((name) => workflow(name));
  const failures = [
    ...[failure('again', 1), failure('again', 2), failure('unknown', 3), failure('newest', 4), failure('long', 5, 7)],
    failure('flaky', 110),
  ];
  // One service tells when a run began, another when it ended.
  const executedAt = new Map([
    ['uuid of again', at(3)],
    ['uuid of newest', at(4)],
    ['uuid of long', at(7)],
    ['uuid of flaky', at(119)],
  ]);
  expect(
    glance(workflows, failures, { executedAt }).failing.map(({ name, isFailingNow }) => [name, isFailingNow]),
  ).toEqual([
    ['flaky', true],
    ['long', true],
    ['newest', true],
    ['unknown', null],
    ['again', false],
  ]);
});
