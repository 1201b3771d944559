/** The capability timeline in words: as a plan, and as a list. */
import type { TaskCardBlock } from '@slack/types';
import { describe, expect, it } from 'vitest';
import type { FailureSuspicion } from '../../../../src/bot/insight/executions/failing-call.ts';
import type { CapabilityCall, Timeline } from '../../../../src/bot/insight/executions/timeline.ts';
import { timelineMessage } from '../../../../src/bot/views/execution/timeline.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';

function call(overrides: Partial<CapabilityCall> = {}): CapabilityCall {
  return {
    capability: 'http-actions@1.0.0',
    method: 'SendRequest',
    status: 'COMPLETED',
    state: 'succeeded',
    startMs: 1200,
    endMs: 1700,
    durationMs: 500,
    timeFault: null,
    errors: [],
    isOnCriticalPath: true,
    ...overrides,
  };
}

function timeline(calls: readonly CapabilityCall[], overrides: Partial<Timeline> = {}): Timeline {
  return { calls, gaps: [], totalMs: 4100, isRunning: false, failing: null, ...overrides };
}

const subject = { workflowName: 'payments', shortId: '3f2a9c1b', startedAt: 0 };
const shown = (shownTimeline: Timeline | null) => timelineMessage({ subject, timeline: shownTimeline });

/** The cards of its plan; none where there is no plan. */
function cardsOf(shownTimeline: Timeline): readonly TaskCardBlock[] {
  return shown(shownTimeline).blocks.flatMap((block) =>
    block.type === 'plan' ? (block.tasks ?? []).filter((task): task is TaskCardBlock => task.type === 'task_card') : [],
  );
}

describe('the timeline', () => {
  it('has the start, name, result and duration of each step', () => {
    const { text } = shown(timeline([call()]));
    expect(text).toContain('1 step, 4.1 s in total\n');
    expect(text).toContain('1. :white_check_mark: http-actions@1.0.0 SendRequest: at +1.2 s, succeeded after 500 ms');
  });

  it('refers to an error that a message above shows whole', () => {
    const failed = call({ state: 'failed', errors: [{ error: 'refused', count: 9 }] });
    const view = { subject, timeline: timeline([failed]) };
    const { text } = timelineMessage({ ...view, shownErrors: ['step failed: refused'] });
    expect(text).toContain('on 9 nodes: the error above');
    expect(text).not.toContain('refused');
    expect(timelineMessage({ ...view, shownErrors: ['another'] }).text).toContain('on 9 nodes: “refused”');
    const uncounted = {
      ...view,
      timeline: timeline([call({ state: 'failed', errors: [{ error: 'refused', count: 0 }] })]),
    };
    expect(timelineMessage(uncounted).text).toContain('failed after 500 ms: “refused”');
    expect(timelineMessage({ ...uncounted, shownErrors: ['refused'] }).text).toContain('500 ms: the error above');
  });

  it('refers to several errors that a message above shows whole', () => {
    const errors = [
      { error: 'refused', count: 8 },
      { error: 'expired', count: 1 },
    ];
    const view = { subject, timeline: timeline([call({ state: 'failed', errors })]) };
    const { text } = timelineMessage({ ...view, shownErrors: ['step failed: refused', 'expired'] });
    expect(text).toContain('on 9 nodes: the errors above');
    expect(timelineMessage({ ...view, shownErrors: ['refused'] }).text).toContain(
      'on 8 nodes: “refused” (and 1 other error)',
    );
  });

  it('marks the step that failed the execution, with its error', () => {
    const failed = call({ state: 'failed', errors: [{ error: 'refused', count: 9 }] });
    const { text } = shown(
      timeline([call(), failed], { failing: { index: 1, call: failed, certainty: 'certain', evidence: 'own_error' } }),
    );
    expect(text).toContain('2 steps, 4.1 s in total; the run failed in step 2');
    expect(text).toMatch(/2\. :x: .* failed after 500 ms, on 9 nodes: “refused” ← the run failed here/);
  });

  it.each([
    ['succeeded', 'complete'],
    ['completed_with_errors', 'error'],
    ['failed', 'error'],
    ['running', 'in_progress'],
    ['unfinished', 'pending'],
    ['unknown', 'complete'],
  ] as const)('is a plan in which a step that is %s has the state %s, its number and its call', (state, status) => {
    const title = '2. http-actions@1.0.0 SendRequest';
    expect(cardsOf(timeline([call(), call({ state })]))[1]).toMatchObject({ task_id: 'task-2', title, status });
  });

  it('shows a step without an end as an error only if the run certainly failed in it', () => {
    const open = call({ state: 'unfinished', durationMs: null });
    const cardFor = (suspicion: FailureSuspicion) =>
      cardsOf(timeline([open], { failing: { ...suspicion, call: open } }))[0];
    const card = cardFor({ index: 0, certainty: 'possible', evidence: 'unfinished' });
    expect(card).toMatchObject({ status: 'pending' });
    expect(JSON.stringify(card?.details)).toMatch(/no end reported.*the run may have failed here/);
    expect(cardFor({ index: 0, certainty: 'certain', evidence: 'own_error' })).toMatchObject({ status: 'error' });
  });

  it('says which time of a step is impossible, and by how much', () => {
    const start = { time: 'start', side: 'after_run', byMs: 86_400_000 } as const;
    const late = call({ startMs: 4100, endMs: 4100, durationMs: null, timeFault: start });
    const end = { time: 'end', side: 'before_start', byMs: 2_000 } as const;
    const reversed = call({ endMs: 1200, durationMs: null, timeFault: end });
    const { text } = shown(timeline([reversed, late]));
    expect(text).toContain('2 steps, 4.1 s in total');
    expect(text).toContain('SendRequest: impossible start (24 h after the run), succeeded');
    expect(text).toContain('SendRequest: at +1.2 s, succeeded, impossible end (2 s before its start)');
  });

  it('words a probable failure as probable', () => {
    const failed = call({ state: 'failed' });
    const { text } = shown(
      timeline([failed], { failing: { index: 0, call: failed, certainty: 'likely', evidence: 'last' } }),
    );
    expect(text).toContain('the run probably failed in step 1');
  });

  it('with a filter keeps the numbers of the steps and the facts about all of them', () => {
    const failed = call({ capability: 'evm:write@1', startMs: 6000, state: 'failed' });
    const whole = timeline([call({ startMs: 0, endMs: 500 }), call(), failed], {
      gaps: [{ startMs: 1700, durationMs: 4300, afterCall: 1 }],
      failing: { index: 2, call: failed, certainty: 'certain', evidence: 'own_error' },
    });
    const filtered = (isWanted: (one: CapabilityCall) => boolean) =>
      timelineMessage({ subject, timeline: whole, filter: { isWanted, words: 'capability “x”' } });
    const { text } = filtered(({ capability }) => capability.includes('evm'));
    expect(text).toContain(
      '1 of 3 steps; the run took 4.1 s; the run failed in step 3\n• Step 3: :x: evm:write@1 SendRequest: at +6 s',
    );
    expect(filtered(({ startMs }) => startMs === 0).text).not.toContain('no step ran');
    expect(filtered(() => false).text).toMatch(
      /^Capability timeline of payments, run .*: no step matches capability “x”; steps: .*\(succeeded\), .*evm:write@1 \(failed\)\.$/,
    );
  });

  it('is a list if there are too many steps for cards', () => {
    const [twenty, more] = [20, 21].map((length) => timeline(Array.from({ length }, () => call())));
    expect(cardsOf(twenty ?? timeline([]))).toHaveLength(20);
    expect(shown(more ?? null).blocks.map(({ type }) => type)).not.toContain('plan');
    expect(shown(more ?? null).text).toContain('21. :white_check_mark: http-actions');
  });

  it.each([
    ['completed_with_errors', 'completed with errors'],
    ['running', 'in progress'],
    ['unfinished', 'no end reported'],
  ] as const)('names the state of a step that is %s in words', (state, words) => {
    expect(shown(timeline([call({ state, durationMs: null })])).text).toContain(words);
  });

  it('shows an unknown state in the platform’s word', () => {
    expect(shown(timeline([call({ state: 'unknown', status: 'HIBERNATED' })])).text).toContain('HIBERNATED');
  });

  it('counts the errors of a step that it does not quote', () => {
    const errors = ['refused', 'late', 'gone'].map((error) => ({ error, count: 3 }));
    expect(shown(timeline([call({ errors })])).text).toContain('on 3 nodes: “refused” (and 2 other errors)');
  });

  it('shortens the ids in a step’s error, so that its words have room', () => {
    const id = `0x${'a1b2'.repeat(16)}`;
    const errors = [{ error: `write refused: ${id} for ${id}: insufficient allowance`, count: 1 }];
    expect(shown(timeline([call({ errors })])).text).toContain(
      'write refused: 0xa1b2…a1b2 for 0xa1b2…a1b2: insufficient allowance',
    );
  });

  it('names the gaps, and the critical path if steps overlap', () => {
    const calls = [call(), call({ isOnCriticalPath: false }), call()];
    const { text } = shown(timeline(calls, { gaps: [{ startMs: 1700, durationMs: 3000, afterCall: 0 }] }));
    expect(text).toMatch(/3\. .*; then 3 s in which no step ran/);
    expect(text).toContain('Critical path as the times suggest: steps 1 and 3.');
  });

  it.each([0, 1, 20, 40, 1000])('of %i steps fits Slack and counts what it leaves out', (length) => {
    const message = shown(timeline(Array.from({ length }, () => call())));
    expectGoodMessage(message);
    if (length > 40) expect(message.text).toContain('960 more steps');
  });

  it('that the service did not return says so', () => {
    expectGoodMessage(shown(null));
  });

  it.each(hostileStrings('text'))(
    '%s in a capability, a method, a state and an error is inert and fits',
    (_id, string) => {
      const errors = [{ error: string, count: 1 }];
      expectGoodMessage(
        shown(timeline([call({ capability: string, method: string, state: 'unknown', status: string, errors })])),
      );
    },
  );
});
