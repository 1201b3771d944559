/** View of `executions`. */
import { describe, expect, it } from 'vitest';
import { type ExecutionList, executionListMessage } from '../../../../../src/bot/commands/words/executions/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { ago, anExecution, lastDayWindow, now } from '../../../../support/service/service-data.ts';

const payments = { uuid: '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f', name: 'payments' };
const allWorkflows = null;

function list(overrides: Partial<ExecutionList> = {}): ExecutionList {
  return {
    executions: [anExecution()],
    hasMore: false,
    total: 1,
    zone: 'Europe/Berlin',
    healths: [],
    workflow: payments,
    statuses: undefined,
    page: 1,
    asked: overrides.window ?? lastDayWindow,
    window: lastDayWindow,
    provenance: { source: 'live', asOf: now, missing: [] },
    slashCommand: '/workflow',
    now,
    ...overrides,
  };
}

const textOf = (overrides: Partial<ExecutionList>) => executionListMessage(list(overrides)).text;
const blocksOf = (overrides: Partial<ExecutionList>) => JSON.stringify(executionListMessage(list(overrides)).blocks);

describe('the executions', () => {
  it('show how many there are on all pages, if the service says', () => {
    expect(textOf({ total: 2_880, page: 2 })).toContain(
      '2,880 runs of payments in the last 24 h, newest first, page 2',
    );
    expect(textOf({ total: null })).toMatch(/^Runs of payments in the last 24 h, newest first\n/);
  });

  it('show the start to the second, the result in words, the duration and the short id of each', () => {
    expect(textOf({})).toContain('1 run of payments in the last 24 h');
    expect(textOf({})).toMatch(/<!date[^>]*\|2026-11-21 09:58:00 UTC> · :x: failed, 1 min · bbbbbbbb/);
  });

  it('say which succeeded with errors, in the table and in the menu', () => {
    const flawed = anExecution({ status: 'SUCCESS', detailedStatus: 'COMPLETED_WITH_ERRORS' });
    expect(textOf({ executions: [flawed] })).toContain(':warning: completed with errors, 1 min');
    const long = { ...flawed, workflowName: 'a-workflow-with-a-very-long-name' };
    expect(blocksOf({ executions: [long] })).toContain(
      '"Sat 21 Nov 10:58:00 · completed with errors · a-workflow-with-a-very-',
    );
    expect(textOf({ executions: [{ ...flawed, detailedStatus: 'COMPLETED' }] })).toContain(
      ':white_check_mark: succeeded',
    );
  });

  it('of all workflows name the workflow of each', () => {
    const text = textOf({ workflow: allWorkflows, executions: [anExecution({ workflowName: 'settlement' })] });
    expect(text).toMatch(/1 run of all workflows.*, 1 min · settlement bbbbbbbb/s);
  });

  it('show how long one in progress has been running', () => {
    const running = anExecution({ status: 'IN_PROGRESS', startedAt: ago(3), finishedAt: null });
    expect(textOf({ executions: [running] })).toContain('in progress for 3 min');
  });

  it.each([
    { finishedAt: ago(5), status: 'SUCCESS' },
    { finishedAt: null, status: 'FAILURE' },
    { finishedAt: null, startedAt: ago(-5), status: 'IN_PROGRESS' },
  ] as const)('show no duration if the times are %o', (overrides) => {
    expect(textOf({ executions: [anExecution(overrides)] })).toMatch(/(succeeded|failed|in progress) · bbbbbbbb/);
  });

  it('link to the pages around them with every filter kept', () => {
    const blocks = blocksOf({ page: 2, hasMore: true, statuses: ['FAILURE', 'SUCCESS'] });
    const line = `executions ${payments.uuid} 24h --status failed,succeeded`;
    expect(blocks).toContain(`"value":"${line}"`);
    expect(blocks).toContain(`"value":"${line} --page 3"`);
  });

  it('have the time zone of the table in the menu', () => {
    expect(blocksOf({})).toContain('"text":"Sat 21 Nov 10:58:00 · failed · payments"');
  });

  it('can be investigated and narrowed from menus', () => {
    const blocks = blocksOf({ page: 2 });
    expect(blocks).toContain(`"value":"execution ${anExecution().uuid}"`);
    expect(blocks).toContain(`"value":"executions ${payments.uuid} 24h --status failed"`);
  });

  it('of a window too long for a menu can still be paged', () => {
    const window = { ...lastDayWindow, label: '2026-11-20T10:00:00Z..2026-11-20T12:00:00Z' };
    const message = executionListMessage(list({ window, hasMore: true }));
    expect(JSON.stringify(message.blocks)).not.toContain('Filter by status…');
    expect(JSON.stringify(message.blocks)).toContain('2026-11-20T12:00:00Z --page 2');
    expectGoodMessage(message);
  });

  it('that are none name the filters', () => {
    const message = executionListMessage(list({ executions: [], statuses: ['FAILURE'], workflow: allWorkflows }));
    expect(message.text).toContain('Runs of all workflows in the last 24 h, status failed: none.');
    expectGoodMessage(message);
  });

  it('that could not be read do not count as none', () => {
    const provenance = { source: 'live', asOf: now, missing: ['1 of the executions'] } as const;
    expect(textOf({ executions: [], provenance })).toMatch(/: none was found, but the list is incomplete\./);
  });

  it('beyond the last page say so and link back', () => {
    expect(textOf({ executions: [], page: 999_999_999 })).toContain('There is no page 999,999,999');
    expect(blocksOf({ executions: [], page: 999_999_999 })).toContain('◀ Page 1');
  });

  it.each([1, 20, 99])('of %i runs with the longest names fit Slack', (length) => {
    const executions = Array.from({ length }, (_, index) =>
      anExecution({ uuid: `${index}`, workflowName: 'n'.repeat(5000) }),
    );
    expectGoodMessage(executionListMessage(list({ executions, workflow: allWorkflows })));
  });

  it.each(hostileStrings('text'))('%s as a name and an id is inert and fits', (_id, text) => {
    const executions = [anExecution({ workflowName: text, uuid: text })];
    expectGoodMessage(executionListMessage(list({ executions, workflow: allWorkflows })));
    expectGoodMessage(executionListMessage(list({ workflow: { ...payments, name: text } })));
  });
});
