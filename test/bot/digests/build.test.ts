/** The content of a digest, and its queries. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDigest, couldNotCheck } from '../../../src/bot/digests/build.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { expectGoodMessage } from '../../support/insight/message-rules.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import {
  deploymentRecord,
  executionRecord,
  failureRecord,
  minutesAgo,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../support/service/service-records.ts';

const minuteMs = 60_000;
const secret = 'xoxb-1234567890-abcdefghijklmnop';
const payments = { kind: 'chosen', uuids: [uuidOf('workflow', 1)] } as const;
let service: TestService;

/** Workflow 10 fails in the window and before it; 11 failed before and succeeds; 12 fell silent; 13 shares no name. */
beforeAll(async () => {
  service = await startTestService();
  const of = (number: number) => ({ workflowUuid: uuidOf('workflow', number) });
  const errors = [{ error: `outbox refused token ${secret}`, count: 3 }];
  await service.writer.putWorkflows([10, 11, 12].map((number) => workflowRecord(number, { name: `story-${number}` })));
  await service.writer.putDeployments([deploymentRecord(10, { ...of(10), deployedAt: minutesAgo(31) })]);
  await service.writer.putExecutions([
    failureRecord(30, { ...of(10), errors }),
    failureRecord(1500, { ...of(11), errors: [{ error: 'disk is full', count: 2 }] }),
    executionRecord(40, of(11)),
    // Every hour for four days.
    ...Array.from({ length: 100 }, (_, index) => executionRecord(200 + 60 * index, of(12))),
    // It began before the window, and failed in it.
    failureRecord(1443, { ...of(10), errors, finishedAt: minutesAgo(1439) }),
    // It failed after the window: the next digest's.
    failureRecord(0, { ...of(10), startedAt: serviceNow - 1000, finishedAt: serviceNow + 1000, errors }),
  ]);
});
afterAll(() => service.close());

function desk() {
  return digestDesk({ url: service.url, apiKey: service.apiKeys.harbor }, serviceNow);
}

const request = digestRequest(serviceNow);

describe('a digest', () => {
  it('is a root and a reply for each cause, all within Slack’s limits', async () => {
    await using one = desk();
    const made = await one.build(request);
    expect(made?.replies.map(({ name }) => name)).toEqual(['cause-1', 'cause-2', 'silent']);
    for (const { text, blocks } of [made?.root, ...(made?.replies ?? []).map(({ message }) => message)].flatMap(
      (message) => message ?? [],
    )) {
      expectGoodMessage({ text, blocks });
    }
  });

  it('counts a failure in the window in which it ended, so that none is lost between two windows', async () => {
    await using one = desk();
    const facts = await one.facts(request);
    const next = { window: { from: serviceNow, to: serviceNow + 1440 * minuteMs } };
    expect(facts.failing.find(({ name }) => name === 'story-10')?.count).toBe(2);
    expect(await one.facts({ ...request, ...next })).toMatchObject({ failureCount: 1 });
  });

  it('names silent workflows, causes that were not seen again and the deployments before the failures', async () => {
    await using one = desk();
    const made = await one.build(request);
    const text = made?.root.text ?? '';
    expect(text).toMatch(/Silent: story-12, no run for 3 h 20 min, expected by <!date[^>]*2026-11-20 09:45 UTC>/);
    expect(made?.replies.at(-1)?.message.text).toMatch(
      /story-12: last run .*; no run for 3 h 20 min, usually one every 1 h; expected by .* \(schedule learned from 60 runs, tolerance 5 min; it ran around that time on 2 of 2 earlier days\)/,
    );
    expect(text).toContain('Gone, maybe by chance: 1 earlier cause.');
    expect(text).not.toContain('Resolved');
    // The rejected one first, then the newest; story-10 is the third.
    expect(text).toMatch(/Deployments: payments .*\(failed\); payments .*\(active\); and 1 more\./);
  });

  it('names the deployments of failing workflows, newest first, and connects none with failures that may have another reason', async () => {
    const names = [16, 17].map((number) => uuidOf('workflow', number));
    const [goesOn = '', begins = ''] = names;
    await service.writer.putWorkflows([16, 17].map((number) => workflowRecord(number)));
    await service.writer.putDeployments(
      names.map((workflowUuid, index) =>
        deploymentRecord(16 + index, { workflowUuid, deployedAt: minutesAgo(1440 - 10 - index) }),
      ),
    );
    // One of them failed before the window, too.
    const failures = [1410, 1470].map((minutes) => ({ workflowUuid: goesOn, startedAt: minutesAgo(minutes) }));
    await service.writer.putExecutions([
      ...failures.map((each, index) => failureRecord(9200 + index, each)),
      failureRecord(9210, { workflowUuid: begins, startedAt: minutesAgo(1410) }),
    ]);
    await using one = desk();
    const plan = { workflows: { kind: 'chosen', uuids: names }, hasAllClear: true } as const;
    const { deployments } = await one.facts({ ...request, plan });
    expect(deployments.map(({ workflowName }) => workflowName)).toEqual(['workflow-17', 'workflow-16']);
    expect((await one.build({ ...request, plan }))?.root.text).not.toMatch(/first failure|later/);
  });

  it('masks text that looks like a secret, unless the admins turned masking off', async () => {
    await using one = desk();
    const masked = JSON.stringify(await one.build(request));
    const open = JSON.stringify(await one.build({ ...request, isRedacting: false }));
    expect(masked).not.toContain(secret);
    expect(open).toContain(secret);
  });

  it('about chosen workflows, or those with a text in their name, mentions no others', async () => {
    await using one = desk();
    const chosen = await one.facts({ ...request, plan: { workflows: payments, hasAllClear: true } });
    const text = { kind: 'text', text: 'STORY' } as const;
    const named = await one.facts({ ...request, plan: { workflows: text, hasAllClear: true } });
    expect(chosen).toMatchObject({ failureCount: 2, successCount: 10, workflowCount: 1, goneWorkflows: 0 });
    expect(named.failing.map(({ name }) => name)).toEqual(['story-10']);
    expect(named).toMatchObject({ successCount: 22, workflowCount: 3 });
  });

  it('names an active workflow that never ran, as of the end of its window', async () => {
    await using one = desk();
    const facts = await one.facts(request);
    const since = serviceNow - 60 * 86_400_000 + 3 * minuteMs;
    expect(facts.neverRan).toEqual([{ name: 'Überweisung_50%', since, isActiveSince: false }]);
    const early = { window: { from: since - 86_400_000, to: since + 86_000_000 } };
    expect((await one.facts({ ...request, ...early })).neverRan).toEqual([]);
    expect((await one.build(request))?.root.text).toContain('Never ran: Überweisung_50% (registered 59 d 23 h ago');
  });

  it('sends one request for each cause that it shows, and at most twenty-four for the rest', async () => {
    await using one = desk();
    // The documents of the first digest are small, because the limits of the service are not known.
    await one.build(request);
    const before = one.requests();
    const made = await one.build(request);
    // Three parts of the failures, unfinished executions, successes, the workflows, activity, its variation, its days in the digest's zone, silence, whether that is a rest, deployments, the
    // rejected ones of other workflows, those of workflows that never ran, and counts. Of the failing ones: counts and newest runs of the last day, silence and
    // whether that is a rest, since when in two parts, the deployments before that, and earlier failures.
    // The earlier failures are in one document or two: batches that run at once learn the size of a document in any order.
    const causes = made?.replies.filter(({ name }) => name.startsWith('cause')) ?? [];
    const rest = one.requests() - before - causes.length;
    expect([23, 24]).toContain(rest);
  });

  it('marks a recurring cause as new in another workflow, and lists that one first', async () => {
    const [old, fresh] = [uuidOf('workflow', 21), uuidOf('workflow', 22)];
    await service.writer.putWorkflows([21, 22].map((number) => workflowRecord(number)));
    const errors = [{ error: 'permission denied', count: 4 }];
    await service.writer.putExecutions([
      ...[100, 200, 2000].map((minutes) =>
        failureRecord(9400 + minutes, { workflowUuid: old, startedAt: minutesAgo(minutes), errors }),
      ),
      executionRecord(9401, { workflowUuid: old, startedAt: minutesAgo(50) }),
      executionRecord(9402, { workflowUuid: fresh, startedAt: minutesAgo(3000) }),
      failureRecord(9400, { workflowUuid: fresh, startedAt: minutesAgo(90), errors }),
    ]);
    await using one = desk();
    const plan = { workflows: { kind: 'chosen', uuids: [old, fresh] }, hasAllClear: true } as const;
    const text = (await one.build({ ...request, plan }))?.root.text;
    expect(text).toMatch(
      /• workflow-22: the only run failed, new in this workflow, .*• workflow-21: 2 of 3 runs failed, recurring, /s,
    );
  });
});

describe('a digest without failures', () => {
  const quiet = { window: { from: minutesAgo(4), to: minutesAgo(1) } };
  const plan = (hasAllClear: boolean) => ({ ...request, ...quiet, plan: { workflows: payments, hasAllClear } });

  it('is one line if the all-clear is on', async () => {
    await using one = desk();
    const made = await one.build(plan(true));
    expect(made?.root.text).toBe(
      ':white_check_mark: All clear: all 3 finished runs succeeded. Fri 20 Nov 12:56 to 12:59 (Europe/Berlin), payments.',
    );
    expect(made?.replies).toEqual([]);
  });

  it('is not posted if the all-clear is off', async () => {
    await using one = desk();
    expect(await one.build(plan(false))).toBeNull();
  });

  it('reports a workflow that fell silent shortly before the previous digest, with or without an all-clear', async () => {
    const workflow = { workflowUuid: uuidOf('workflow', 14) };
    await service.writer.putWorkflows([workflowRecord(14, { name: 'hourly' })]);
    // Half an hour before the digest before, which could not tell that from its usual gaps.
    const starts = Array.from({ length: 80 }, (_, index) => minutesAgo(1440 + 30 + 60 * index));
    await service.writer.putExecutions(
      starts.map((startedAt, index) => executionRecord(9000 + index, { ...workflow, startedAt })),
    );
    await using one = desk();
    const about = { workflows: { kind: 'chosen', uuids: [workflow.workflowUuid] }, hasAllClear: false } as const;
    const later = { ...request, plan: about };
    const made = await one.build(later);
    expect(made?.root.text).toContain('Silent: hourly, no run for 24 h 30 min, expected by');
    expect(await one.build({ ...later, window: { from: minutesAgo(60), to: serviceNow } })).toBeNull();
  });

  it('reports a workflow that rests at the weekend as silent on Monday, once it should have run again', async () => {
    const workflow = { workflowUuid: uuidOf('workflow', 19) };
    await service.writer.putWorkflows([workflowRecord(19, { name: 'office' })]);
    const [hourMs, monday] = [60 * minuteMs, Date.parse('2026-11-23T00:00:00Z')];
    // Two working weeks, every half hour from eight to six, give or take: none of its newest runs shows the weekend before.
    const days = [-14, -13, -12, -11, -10, -7, -6, -5, -4, -3].map((day) => monday + day * 24 * hourMs);
    const startOf = (day: number, at: number) => day + 8 * hourMs + at * 30 * minuteMs + (at % 3);
    const starts = days.flatMap((day) => Array.from({ length: 20 }, (_, at) => startOf(day, at)));
    await service.writer.putExecutions(
      starts.map((startedAt, index) => executionRecord(9500 + index, { ...workflow, startedAt })),
    );
    await using one = desk();
    const about = { workflows: { kind: 'chosen', uuids: [workflow.workflowUuid] }, hasAllClear: false } as const;
    const at = (hour: number) => {
      const to = monday + hour * hourMs;
      return { ...request, plan: about, now: to, window: { from: to - 24 * hourMs, to } };
    };
    expect(await one.build(at(-14))).toBeNull();
    expect(await one.build(at(7))).toBeNull();
    expect((await one.build(at(10)))?.root.text).toMatch(
      /Silent: office, no run for 2 d 16 h, expected by <!date[^>]*2026-11-23 08:05 UTC>/,
    );
  });

  it('that is late says what was silent at the end of its window, though it has run since', async () => {
    const workflow = { workflowUuid: uuidOf('workflow', 23) };
    await service.writer.putWorkflows([workflowRecord(23, { name: 'back' })]);
    // Every hour for four days, then two hours of silence, and again since an hour after the window.
    const minutes = [30, 90, ...Array.from({ length: 96 }, (_, index) => 300 + 60 * index)];
    await service.writer.putExecutions(
      minutes.map((ago, index) => executionRecord(7000 + index, { ...workflow, startedAt: minutesAgo(ago) })),
    );
    await using one = desk();
    const about = { workflows: { kind: 'chosen', uuids: [workflow.workflowUuid] }, hasAllClear: false } as const;
    const silentAt = async (to: number) =>
      (await one.facts({ ...request, plan: about, window: { from: to - 1440 * minuteMs, to } })).silent;
    expect(await silentAt(minutesAgo(180))).toMatchObject([
      { name: 'back', lastAt: minutesAgo(300), forMs: 120 * minuteMs, expectedBy: minutesAgo(235) },
    ]);
    expect(await silentAt(minutesAgo(240))).toEqual([]);
    expect(await silentAt(minutesAgo(80))).toEqual([]);
  });

  it('leaves a failure that began in the window and ended after it to the next digest, without a mismatch', async () => {
    const workflow = { workflowUuid: uuidOf('workflow', 15) };
    await service.writer.putWorkflows([workflowRecord(15)]);
    const [startedAt, finishedAt] = [serviceNow - 20_000, serviceNow + 5_000];
    await service.writer.putExecutions([failureRecord(9100, { ...workflow, startedAt, finishedAt })]);
    await using one = desk();
    const about = { workflows: { kind: 'chosen', uuids: [workflow.workflowUuid] }, hasAllClear: false } as const;
    const before = { ...request, plan: about, now: serviceNow + 10_000 };
    const next = { from: serviceNow, to: serviceNow + 1440 * minuteMs };
    expect(await one.build(before)).toBeNull();
    expect(await one.facts({ ...before, window: next })).toMatchObject({ failureCount: 1 });
  });

  it('does not take a running execution, or one that failed after the window, as proof that a cause is resolved', async () => {
    const workflow = { workflowUuid: uuidOf('workflow', 18) };
    await service.writer.putWorkflows([workflowRecord(18)]);
    const [startedAt, finishedAt] = [serviceNow + 60 * minuteMs, serviceNow + 61 * minuteMs];
    await service.writer.putExecutions([
      failureRecord(9300, { ...workflow, startedAt: minutesAgo(2000) }),
      failureRecord(9301, { ...workflow, startedAt, finishedAt }),
    ]);
    await using one = desk();
    const about = { workflows: { kind: 'chosen', uuids: [workflow.workflowUuid] }, hasAllClear: true } as const;
    const late = { ...request, plan: about, isLate: true, now: serviceNow + 300 * minuteMs };
    expect(await one.facts(late)).toMatchObject({ gone: { resolved: [], unproven: [{ count: 1 }] } });
  });

  it('reports a missed digest, with or without an all-clear, because no message would mean that all is well', async () => {
    await using one = desk();
    const made = await one.build({ ...plan(false), missed: [{ dueAt: minutesAgo(1440) }] });
    expect(made?.root.text).toMatch(/All clear.*1 digest skipped/is);
  });

  it.each([payments, { kind: 'text', text: 'payments' }] as const)(
    'says that the list of workflows is incomplete, and not that %o are gone, with or without an all-clear',
    async (workflows) => {
      await using query = createTestQuery(service.url, service.apiKeys.harbor, { clock: () => serviceNow });
      const missing = ['the workflows after the first 100'];
      const everyWorkflow = async () =>
        ({ data: [], provenance: { source: 'live', asOf: serviceNow, missing } }) as const;
      const asking = { ...query.ask({ isFresh: true }), everyWorkflow };
      const made = await buildDigest(asking, { ...request, ...quiet, plan: { workflows, hasAllClear: false } });
      expect(made?.root.text).toContain('All clear');
      expect(made?.root.text).toContain('Not known: the workflows after the first 100');
      expect(made?.root.text).not.toMatch(/no longer lists|any more|Credits/);
    },
  );

  it.each([
    ['newestStartsOf', 'silent workflows'],
    ['deploymentsOf', 'failed deployments'],
  ] as const)(
    'without an answer to %s says that %s were not checked for, with or without an all-clear',
    async (method, what) => {
      await using query = createTestQuery(service.url, service.apiKeys.harbor, { clock: () => serviceNow });
      const refuse = () => Promise.reject(new AppError('unavailable', 'The query service does not answer.'));
      const asking = { ...query.ask({ isFresh: true }), [method]: refuse };
      for (const hasAllClear of [true, false]) {
        const made = await buildDigest(asking, plan(hasAllClear));
        expect(made?.root.text).toContain(`no failure was found, but the bot could not check for ${what}`);
        expect(made?.root.text).not.toContain('All clear');
      }
    },
  );

  it('reports a deleted workflow, with or without an all-clear', async () => {
    await using one = desk();
    const workflows = { kind: 'chosen', uuids: [uuidOf('workflow', 404)] } as const;
    const made = await one.build({ ...request, plan: { workflows, hasAllClear: false } });
    expect(made?.root.text).toContain('no longer lists one of the chosen workflows');
  });
});

describe('a digest of a service without an answer', () => {
  it('is not built', async () => {
    await using query = createTestQuery(service.url, 'wrong key');
    await expect(buildDigest(query.ask(), request)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('becomes a message with the reason and the people who can help, and never an all-clear', () => {
    const error = new AppError('unauthorized', 'The query service refused this workspace’s API key.');
    const details = { since: minutesAgo(590), isLast: false, adminIds: ['U0ADA'] };
    const { root, replies } = couldNotCheck(request, error, details);
    expectGoodMessage(root, ['user']);
    expect(root.text).toContain(
      'Could not check for failures: it is not known if anything failed in this time. The check has failed since Fri 20 Nov 03:10.',
    );
    expect(root.text).toContain('Ask a workspace admin or bot admin (<@U0ADA>) to renew the key');
    expect(JSON.stringify(root)).not.toMatch(/all clear|white_check_mark/i);
    expect(replies).toEqual([]);
  });

  it('becomes a last message that counts no digests before it: a key may be refused for longer than the digest exists', () => {
    const error = new AppError('unauthorized', 'The query service refused this workspace’s API key.');
    const { root } = couldNotCheck(request, error, { since: minutesAgo(10_000), isLast: true, adminIds: [] });
    expect(root.text).toMatch(/digests are skipped until .* key that works/);
    expect(root.text).not.toMatch(/third|in a row/);
  });
});
