/** `executions` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { startTestCommands, useTestCommands } from '../../../../support/bot/commands.ts';
import { startTestService } from '../../../../support/service/service.ts';
import { serviceNow, workflowRecord } from '../../../../support/service/service-records.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);
const rowsOf = (text: string) => text.split('\n').filter((row) => row.startsWith('<!date'));

describe('executions', () => {
  it('are twenty a page, different ones on each page', async () => {
    const [first, second] = [await type('executions payments'), await type('executions payments --page 2')];
    expect(rowsOf(first.text)).toHaveLength(20);
    expect(new Set([...rowsOf(first.text), ...rowsOf(second.text)]).size).toBe(40);
  });

  it('of a workflow that fails now begin with since when', async () => {
    expect((await type('executions payments')).text).toMatch(
      /^:red_circle: Failing now: every run since <!date[^>]*> failed, starting .* after the deployment of <!date[^>]*>; newest error: “422 Unprocessable Entity: unknown field "settlementCurrency".*”\.\nWhat to try: roll back to the version deployed <!date[^>]*>\.\n2,880 runs of payments/,
    );
    expect((await type('executions payments 2026-11-15')).text).toMatch(/^:red_circle: Failing now: every run/);
    expect((await type('executions carbon-credits')).text).toMatch(/^:warning: Silent: no run for 6 h/);
    expect((await type('executions settlement')).text).toMatch(
      /^:large_yellow_circle: Unstable: 3 of 96 runs in the last 24 h failed\. Main cause: “.*”, .*\nWhat to try: /,
    );
  });

  it.each([
    ['executions --status FAILED', /failed/],
    ['executions --status succeeded,running', /succeeded|in progress/],
  ])('%s are only of that status', async (line, status) => {
    const rows = rowsOf((await type(line)).text);
    expect(rows).toHaveLength(20);
    for (const row of rows) expect(row).toMatch(status);
  });

  it('of an unknown status name the accepted ones', async () => {
    const { answer, text } = await type('executions --status sideways');
    expect(answer.isProblem).toBe(true);
    expect(text).toContain(
      'Unknown status “sideways”. Available: failed, succeeded, completed-with-errors, in-progress',
    );
  });

  it.each([
    ['failed', 'failed'],
    ['Succeeded', 'succeeded'],
    ['IN_PROGRESS', 'in-progress'],
    ['in-progress', 'in-progress'],
    ['in progress', 'in-progress'],
    ['completed-with-errors', 'with-errors'],
    ['completed_with_errors', 'with-errors'],
    ['Completed with errors', 'with-errors'],
    ['failed,completed with errors', 'failed,with-errors'],
    ['failed, succeeded', 'failed,succeeded'],
  ])('take the status %s as it is displayed, before and after the name', async (status, line) => {
    for (const typed of [`--status ${status} pay 7d`, `pay --status ${status} 7d`, `pay 7d --status="${status}"`]) {
      const { answer } = await type(`executions ${typed}`);
      expect(JSON.stringify(answer.message.blocks)).toMatch(
        new RegExp(`"value":"executions [0-9a-f-]{36} --status ${line} 7d"`),
      );
    }
  });

  it('that completed with errors are those that say so, on every page', async () => {
    const { answer, text } = await type('executions --status completed with errors 7d');
    const rows = rowsOf(text);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toContain('completed with errors');
    expect(answer.isProblem).toBeUndefined();
  });

  it('of an ambiguous name keep status and window in the choice', async () => {
    const { answer } = await type('executions pay --status failed 7d');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"executions [0-9a-f-]{36} --status failed 7d"/);
  });

  it('of a window that is over end with it', async () => {
    const { text } = await type('executions fx-rates 2026-11-20T10:00Z..11:00Z');
    expect(rowsOf(text)).toHaveLength(12);
  });

  it('of a workflow that never ran are none', async () => {
    expect((await type('executions invoice-sync')).text).toContain('Runs of invoice-sync in the last 24 h: none.');
  });
});

describe('executions of a workflow whose name has a word of a status', () => {
  it.each([
    ['executions failed refunds', /Runs of failed-refunds in the last 24 h/],
    ['executions failed-refunds failed', /Failed runs of failed-refunds|Runs of failed-refunds .*failed/],
  ])('“%s” takes the name first', async (line, words) => {
    const clock = () => serviceNow;
    const service = await startTestService({ clock });
    await service.writer.putWorkflows([workflowRecord(40, { name: 'failed-refunds' })]);
    const commands = await startTestCommands({ service: { url: service.url, apiKey: service.apiKeys.harbor }, clock });
    const { text } = await commands.type(line);
    expect(text).toMatch(words);
    await commands.close();
    await service.close();
  });
});
