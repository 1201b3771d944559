/** Silence from the real service: what the bot reads for it, and what it says if some of that cannot be read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { querySilences } from '../../../src/bot/health/silences.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { type Behaviour, type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { executionRecord, uuidOf, workflowRecord } from '../../support/service/service-records.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const now = Date.parse('2026-11-20T12:00:00Z');
const registeredAt = now - 40 * dayMs;

/** Number of the first workflow of each kind, and how many there are. */
const kinds = {
  late: { first: 100, count: 3 },
  busy: { first: 200, count: 3 },
  many: { first: 300, count: 30 },
} as const;
const irregular = 400;

const workflowsOf = (kind: keyof typeof kinds) =>
  Array.from({ length: kinds[kind].count }, (_, index) => rowOf(kinds[kind].first + index));
const rowOf = (number: number) => ({
  uuid: uuidOf('workflow', number),
  registeredAt: new Date(registeredAt).toISOString(),
  executedAt: null,
  executionCountByStatus: null,
});

/** Runs every so many minutes in the 60 runs before the last one, and at the same time of the weeks before. */
function startsOf(lastAt: number, everyMinutes: number): readonly number[] {
  const burst = (to: number) => Array.from({ length: 70 }, (_, index) => to - index * everyMinutes * minuteMs);
  const weeks = [1, 2, 3, 4].flatMap((week) => burst(lastAt - week * 7 * dayMs + 200 * minuteMs));
  return [...burst(lastAt), ...weeks].toSorted((one, other) => one - other);
}

let service: TestService;
let relay: HostileHttp;

beforeAll(async () => {
  service = await startTestService({ clock: () => now });
  const late = now - 120 * minuteMs;
  const stored: readonly (readonly [number, readonly number[]])[] = [
    ...workflowsOf('late').map((_, index) => [kinds.late.first + index, startsOf(late, 10)] as const),
    ...workflowsOf('busy').map((_, index) => [kinds.busy.first + index, startsOf(now - 8 * minuteMs, 10)] as const),
    ...workflowsOf('many').map((_, index) => [kinds.many.first + index, startsOf(late, 10)] as const),
    [irregular, irregularStarts()],
  ];
  await service.writer.putWorkflows(
    stored.map(([number]) => workflowRecord(number, { name: `workflow ${number}`, registeredAt })),
  );
  for (const [number, starts] of stored) {
    await service.writer.putExecutions(
      starts.map((startedAt, index) =>
        executionRecord(number * 10_000 + index, { workflowUuid: uuidOf('workflow', number), startedAt }),
      ),
    );
  }
  relay = await startHostileHttp(relayTo(service.url));
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await service.close();
});

/** Several a day, at no usual gap; the last ten hours ago. */
function irregularStarts(): readonly number[] {
  const starts: number[] = [];
  let at = now - 600 * minuteMs;
  for (let index = 0; at > now - 35 * dayMs; index += 1) {
    starts.push(at);
    at -= (5 + (index % 7) ** 2) * minuteMs;
  }
  return starts.toReversed();
}

const refusing =
  (refused: (body: string) => boolean): Behaviour =>
  (request, response) =>
    refused(request.body) ? response.writeHead(400).end() : relayTo(service.url)(request, response);

async function silencesOf(workflows: Parameters<typeof querySilences>[1], behaviour = refusing(() => false)) {
  await using query = createTestQuery(relay.url, service.apiKeys.harbor, { clock: () => now });
  relay.behaveAs(behaviour);
  const before = relay.requests.length;
  const { data, provenance } = await querySilences(query.ask(), workflows, { now, isPast: false });
  return { data, missing: provenance.missing, requests: relay.requests.length - before };
}

const asksForPeriods = (body: string) => body.includes('"ASC"');

it('a workflow is silent with the evidence for it', async () => {
  const { data, missing } = await silencesOf(workflowsOf('late'));
  expect([...data.keys()].toSorted()).toEqual(
    workflowsOf('late')
      .map(({ uuid }) => uuid)
      .toSorted(),
  );
  expect(data.get(uuidOf('workflow', 100))).toMatchObject({
    lastAt: now - 120 * minuteMs,
    expectedBy: now - 105 * minuteMs,
    ranBefore: 4,
  });
  expect(missing).toEqual([]);
});

it('the newest runs of all workflows take one document, and one that is on time takes no other', async () => {
  const { data, requests } = await silencesOf(workflowsOf('busy'));
  expect([...data.values()]).toEqual([null, null, null]);
  expect(requests).toBe(1);
});

describe('silence is not known, rather than none, if', () => {
  it.each([
    ['the newest runs cannot be read', (body: string) => !asksForPeriods(body), 'which workflows went silent'],
    ['the earlier weeks cannot be read', asksForPeriods, 'whether 3 more workflows went silent'],
  ])('%s', async (_, refused, words) => {
    const { data, missing } = await silencesOf(workflowsOf('late'), refusing(refused));
    expect(data.size).toBe(0);
    expect(missing).toContain(words);
  });

  it('the days of an irregular workflow cannot be read', async () => {
    const workflow = rowOf(irregular);
    expect((await silencesOf([workflow])).data.has(workflow.uuid)).toBe(true);
    const { data, missing } = await silencesOf(
      [workflow],
      refusing((body) => body.includes('workflowActivity')),
    );
    expect(data.size).toBe(0);
    expect(missing).toContain('whether 1 more workflow went silent');
  });

  it('too many workflows are overdue', async () => {
    const { data, missing } = await silencesOf(workflowsOf('many'));
    expect(data.size).toBe(25);
    expect(missing).toContain('whether 5 more workflows went silent');
  });

  it('one of the earlier weeks is missing in the answer', async () => {
    let isFirst = true;
    const withoutFirst: Behaviour = async ({ headers, body }, response) => {
      const answered = await fetch(service.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
        body,
      });
      const { data } = (await answered.json()) as { readonly data: object };
      const isCut = isFirst && asksForPeriods(body);
      if (isCut) isFirst = false;
      const errors = [{ message: 'no', path: ['workflowExecutions0'] }];
      const cut = { data: { ...data, workflowExecutions0: null }, errors };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isCut ? cut : { data }));
    };
    const [first, ...others] = workflowsOf('late').slice(0, 2);
    const { data, missing } = await silencesOf(
      [first, ...others].filter((one) => one !== undefined),
      withoutFirst,
    );
    expect([...data.keys()]).toEqual(others.map(({ uuid }) => uuid));
    expect(missing).toContain('whether 1 more workflow went silent');
  });
});

it('a stale answer cannot prove silence after its own time', async () => {
  let time = now;
  await using query = createTestQuery(relay.url, service.apiKeys.harbor, { clock: () => time });
  const read = async () => querySilences(query.ask(), workflowsOf('busy'), { now: time, isPast: false });
  relay.behaveAs(refusing(() => false));
  await read();
  time += 110 * minuteMs;
  relay.behaveAs((_, response) => response.writeHead(500).end());
  const { data, provenance } = await read();
  expect(provenance.source).toBe('stale');
  expect([...data.values()]).toEqual([null, null, null]);
});
