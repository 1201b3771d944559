/** The sentences about deployments, streak and since, from the real service to the message. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { investigate } from '../../../../src/bot/commands/investigation/investigate.ts';
import { verdictMessage, verdictRootMessage } from '../../../../src/bot/views/execution/verdict.ts';
import { createTestQuery, type TestQuery } from '../../../support/bot/query.ts';
import { type HostileHttp, relayTo, startHostileHttp } from '../../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../../support/service/service.ts';
import {
  deploymentRecord,
  failureRecord,
  minutesAgo,
  serviceNow,
  uuidOf,
  workflowRecord,
} from '../../../support/service/service-records.ts';

type Story = {
  /** Outcomes, oldest first, one execution a letter: `.` good, `x` failed; the last one ended just before now. */
  readonly outcomes: string;
  readonly everyMinutes: number;
  /** Minutes before now. */
  readonly deployments: readonly number[];
};

const week = 7 * 1_440;
const nineOfTen = (count: number) => 'xxxxxxxxx.'.repeat(count / 10);
const stories: readonly Story[] = [
  { outcomes: '.'.repeat(2 * week) + 'x'.repeat(1_440), everyMinutes: 0.5, deployments: [2 * week, 720.2] },
  { outcomes: `${'.'.repeat(2 * week)}${nineOfTen(600)}x`, everyMinutes: 0.5, deployments: [week, 300.6] },
  { outcomes: `${'.'.repeat(1_000)}xxxxxxxx`, everyMinutes: 5, deployments: [4_900] },
  { outcomes: `${'.'.repeat(1_000)}xxxxxxxx`, everyMinutes: 5, deployments: [4_900, 38] },
  { outcomes: 'x'.repeat(18), everyMinutes: 5, deployments: [89] },
];
const [allFail, mostFail, noneCame, fixFollowed, neverGood] = [0, 1, 2, 3, 4] as const;

let service: TestService;
let relay: HostileHttp;
let query: TestQuery;
let keys = 0;
let isRefused: (document: string) => boolean = () => false;

beforeAll(async () => {
  service = await startTestService();
  const pass = relayTo(service.url);
  relay = await startHostileHttp((request, response) => {
    const { query: document } = JSON.parse(request.body) as { readonly query: string };
    return isRefused(document) ? response.writeHead(400).end() : pass(request, response);
  });
  query = createTestQuery(relay.url, service.apiKeys.harbor);
  for (const [index, story] of stories.entries()) await put(100 + index, story);
});

afterAll(async () => {
  await query[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
  await service.close();
});

async function put(number: number, { outcomes, everyMinutes, deployments }: Story): Promise<void> {
  const workflowUuid = uuidOf('workflow', number);
  await service.writer.putWorkflows([workflowRecord(number)]);
  await service.writer.putDeployments(
    deployments.map((minutes, index) =>
      deploymentRecord(10 * number + index, { workflowUuid, deployedAt: minutesAgo(minutes) }),
    ),
  );
  const records = [...outcomes].map((outcome, index) => {
    const startedAt = Math.round(minutesAgo((outcomes.length - index) * everyMinutes));
    const ended = { workflowUuid, startedAt, finishedAt: startedAt + 1_000, classifiedStatus: 'USER_ERROR' } as const;
    const uuid = 100_000 * number + index;
    return outcome === 'x'
      ? failureRecord(uuid, ended)
      : failureRecord(uuid, { ...ended, status: 'SUCCESS', classifiedStatus: 'SUCCESS', errors: [] });
  });
  for (let from = 0; from < records.length; from += 5_000) {
    await service.writer.putExecutions(records.slice(from, from + 5_000));
  }
}

/** @returns the message about the newest failure of a story */
async function textOf(index: number, refused: (document: string) => boolean = () => false): Promise<string> {
  const uuid = uuidOf('execution', 100_000 * (100 + index) + (stories[index]?.outcomes.length ?? 0) - 1);
  // An own key, so that nothing is cached.
  keys += 1;
  const ask = query.ask({ keyId: `key-${keys}` });
  const answered = await ask.execution(uuid);
  if (answered.data === null) throw new Error('no such execution');
  isRefused = refused;
  const { verdict } = await investigate({ ...answered, data: answered.data }, ask, serviceNow);
  isRefused = () => false;
  return [verdictRootMessage(verdict), verdictMessage(verdict)].map(({ text }) => text).join('\n');
}

describe('of a workflow that runs every 30 s', () => {
  it('1,440 failures in a row since a deployment are counted, and the deployment is blamed', async () => {
    const text = await textOf(allFail);
    expect(text).toMatch(/still failing, 1,440 in a row since <!date/);
    expect(text).toMatch(/New cause: no failure with this cause is known before <!date/);
    expect(text).toMatch(
      /Failures began .* the deployment of .*: 0 of the last [\d,]+ runs failed before, 1,440 of 1,440 \(100 %\) after/,
    );
    expect(text).toMatch(/roll back to the version [^.]*deployed <!date[^>]*>\. Then compare/);
  });

  it('nine of ten failures are one rise since the deployment, not a short streak and nothing to handle in the workflow', async () => {
    const text = await textOf(mostFail);
    expect(text).toMatch(/; unstable, 541 of 601 runs failed since <!date/);
    expect(text).toMatch(
      /Failures began .* the deployment of .*: 0 of the last [\d,]+ runs failed before, 541 of 601 \(90 %\) after/,
    );
    expect(text).toMatch(/roll back to the version [^.]*deployed <!date[^>]*>\. Then compare/);
    expect(text).not.toMatch(/handle this error|Recurring/);
  });
});

describe('if no deployment is blamed, says which is true:', () => {
  it('none took effect in the time looked at', async () => {
    const text = await textOf(noneCame);
    expect(text).toMatch(/No deployment took effect between <!date.*> and <!date/);
    expect(text).toContain('No deployment came shortly before, so look for what changed outside');
  });

  it('one came after the first failure, with its numbers', async () => {
    const text = await textOf(fixFollowed);
    expect(text).toMatch(
      /There was a deployment \(<!date.*it may not be the cause: 1 of the last 1,001 runs failed before, 7 of 7 \(100 %\) after/,
    );
    expect(text).toContain('The last deployment came later, so look');
    expect(text).not.toContain('roll');
  });

  it('nothing has succeeded since the first deployment', async () => {
    expect(await textOf(neverGood)).toMatch(
      /No run has succeeded since the first deployment \(<!date.*\): 18 failures/,
    );
  });

  it('the deployments, or the counts, could not be read', async () => {
    const without = (part: string) => (document: string) => document.includes(part);
    const history = await textOf(noneCame, without('query ExecutionHistory'));
    expect(history).toContain('Not known if a deployment is the cause: the deployments could not be read');
    const counts = await textOf(noneCame, without('query WorkflowCounts'));
    expect(counts).toMatch(/Not known if a deployment is the cause: the number of runs .* could not be read/);
    for (const text of [history, counts]) expect(text).not.toContain('No deployment');
  });
});
