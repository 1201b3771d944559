/** `status` of a workflow that rests at night and at the weekend. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestCommands } from '../../../../support/bot/commands.ts';
import { startTestService, type TestService } from '../../../../support/service/service.ts';
import { executionRecord, uuidOf, workflowRecord } from '../../../../support/service/service-records.ts';
import { startStrictService } from '../../../../support/service/strict-service.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const dayMs = 24 * hourMs;
const saturday = Date.parse('2026-11-21T00:00:00Z');
const tooComplex = {
  status: 400,
  body: { errors: [{ message: 'too much', extensions: { code: 'QUERY_TOO_COMPLEX' } }] },
};

let service: TestService;
let now = saturday;

/** Four weeks of runs every 15 minutes from eight to six, on Monday to Friday. */
beforeAll(async () => {
  service = await startTestService({ clock: () => now });
  const days = Array.from({ length: 28 }, (_, index) => saturday - (index + 1) * dayMs);
  const working = days.filter((day) => ![0, 6].includes(new Date(day).getUTCDay()));
  const starts = working.flatMap((day) =>
    Array.from({ length: 40 }, (_, index) => day + 8 * hourMs + index * 15 * minuteMs),
  );
  const workflowUuid = uuidOf('workflow', 30);
  await service.writer.putWorkflows([workflowRecord(30, { name: 'office-hours' })]);
  await service.writer.putExecutions(
    starts.map((startedAt, index) => executionRecord(20_000 + index, { workflowUuid, startedAt })),
  );
});
afterAll(() => service.close());

async function textAt(time: number, url = service.url): Promise<string> {
  now = time;
  const commands = await startTestCommands({ service: { url, apiKey: service.apiKeys.harbor }, clock: () => now });
  const { text } = await commands.type('status office-hours');
  await commands.close();
  return text;
}

describe('a workflow that runs in office hours', () => {
  it.each([
    ['on Friday night', saturday - hourMs],
    ['on Sunday, after 47 h 53 min', saturday + dayMs + 17 * hourMs + 38 * minuteMs],
    ['on Monday, before its first run', saturday + 2 * dayMs + 7 * hourMs],
  ])('is not called silent %s', async (_, time) => {
    expect(await textAt(time)).not.toContain('silent');
  });

  it('is called silent on Monday, once its first run is overdue, with the evidence', async () => {
    const text = await textAt(saturday + 2 * dayMs + 8 * hourMs + 10 * minuteMs);
    expect(text).toMatch(/office-hours has gone silent: no run for 2 d 14 h, usually one every 15 min; expected by /);
    expect(text).toMatch(
      /2026-11-23 08:05 UTC.*learned from 60 runs, tolerance 5 min; it ran around that time on 3 of 3 /,
    );
  });

  it('is neither if the service refuses the check, and the answer says so', async () => {
    const isRefused = (query: string) => query.includes('workflowExecutions0');
    await using strict = await startStrictService(service.url, (query) => (isRefused(query) ? 0 : 100), tooComplex);
    const text = await textAt(saturday + 2 * dayMs + 8 * hourMs + 10 * minuteMs, strict.url);
    expect(text).not.toContain('has gone silent');
    expect(text).toContain('whether it went silent');
  });
});
