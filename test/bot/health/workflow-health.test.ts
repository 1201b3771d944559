/** Every surface shows the same health of a workflow. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { queryHealth } from '../../../src/bot/health/workflow-health.ts';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import { digestRootMessage } from '../../../src/bot/views/digest/root.ts';
import { homeView } from '../../../src/bot/views/home/home.ts';
import {
  type SampleService,
  sampleNow,
  sampleService,
  startTestCommands,
  type TestCommands,
} from '../../support/bot/commands.ts';
import { digestDesk, digestRequest } from '../../support/bot/digests.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { startTestService } from '../../support/service/service.ts';
import {
  executionRecord,
  failureRecord,
  minutesAgo,
  serviceNow,
  workflowRecord,
} from '../../support/service/service-records.ts';

let service: SampleService;
let commands: TestCommands;

beforeAll(async () => {
  service = await sampleService();
  commands = await startTestCommands({ service });
});
afterAll(() => commands.close());

/** The lines of a Home, each with the mark of its group. */
function marked(home: string): readonly { readonly mark: string; readonly line: string }[] {
  let mark = '';
  return home.split('\n').map((line) => {
    mark = /^:(\w+):/.exec(line)?.[1] ?? mark;
    return { mark, line };
  });
}

async function judge(count = Number.POSITIVE_INFINITY) {
  const { url, apiKey } = service;
  await using query = createTestQuery(url, apiKey, { clock: () => sampleNow });
  let requests = 0;
  const counting = () => {
    requests += 1;
    return apiKey;
  };
  const ask = query.ask({ apiKey: counting });
  const { data } = await ask.everyWorkflow();
  const judged = await queryHealth(ask, data.slice(0, count), sampleNow);
  return { judged: judged.data, missing: judged.provenance.missing, requests };
}

describe('the health of the sample’s workflows', () => {
  it('is known, and covers the urgent verdicts', async () => {
    const { judged, missing } = await judge();
    expect(missing).toEqual([]);
    const found = judged.map(({ health }) => health.verdict);
    expect(found).toEqual(expect.arrayContaining(['failing', 'silent', 'healthy', 'inactive']));
    expect(found).not.toContain('unknown');
  });

  it('is the same in status, list and Home', async () => {
    const { judged } = await judge();
    const person = { teamId: 'T1', userId: 'U1', channelId: 'C1' };
    const list = (await commands.run('list', { person })).messages[0]?.text ?? '';
    const home = marked(
      homeView(await commands.homeOf(person))
        .blocks.map((block) => blockText(block))
        .join('\n'),
    );
    for (const { workflow, health } of judged.filter(({ workflow: { name } }) => !name.includes('<'))) {
      const { text: status } = await commands.type(`status ${workflow.uuid}`);
      const [, mark = ''] = /^:(\w+):/.exec(status) ?? [];
      expect(list).toMatch(new RegExp(`^:${mark}: ${workflow.name}( \\(| · )`, 'm'));
      expect(home.find(({ line }) => new RegExp(`[ ,]${workflow.name}(:|,| \\(|$)`).test(line))?.mark).toBe(mark);
      if (health.silence) expect(status).toContain('has gone silent');
      if (health.streak === null) continue;
      const since = `since <!date^${Math.floor(health.streak.since / 1000)}^`;
      for (const answer of [status, list]) expect(answer).toContain(since);
      expect(home.map(({ line }) => line).join('\n')).toContain(`all ${health.streak.failed} runs ${since}`);
    }
  });

  it('takes documents for all workflows together: none for each', async () => {
    const [few, all] = [await judge(2), await judge()];
    expect(all.judged.length).toBeGreaterThan(8);
    expect(all.requests - few.requests).toBeLessThanOrEqual(8);
  });
});

it.each([
  // Newest first; ten minutes apart, after a usual rate of one in four, and of one in ten.
  ['FF', 'SSSF', 'unstable', 'large_yellow_circle'],
  ['FFF', 'SSSF', 'failing', 'red_circle'],
  ['FF', 'SSSSSSSSSF', 'failing', 'red_circle'],
])(
  'a workflow that had %s after many times %s is %s in status, list, Home and a digest',
  async (newest, usual, verdict, mark) => {
    const harbor = await startTestService();
    onTestFinished(() => harbor.close());
    const workflow = workflowRecord(900, { name: 'wobbly' });
    const runs = [...(newest + usual.repeat(50).slice(0, 200))].map((letter, index) => {
      const about = { workflowUuid: workflow.uuid, startedAt: minutesAgo(10 * index + 5) };
      return letter === 'F' ? failureRecord(10_000 + index, about) : executionRecord(10_000 + index, about);
    });
    await harbor.writer.putWorkflows([workflow]);
    await harbor.writer.putExecutions(runs);
    const served = { url: harbor.url, apiKey: harbor.apiKeys.harbor };
    const all = await startTestCommands({ service: served, clock: () => serviceNow });
    onTestFinished(() => all.close());
    await using desk = digestDesk(served, serviceNow);
    const status = (await all.type('status wobbly')).text;
    expect(status).toContain(`:${mark}: wobbly is ${verdict}: `);
    expect((await all.type('list')).text).toMatch(new RegExp(`^:${mark}: wobbly \\(${verdict}`, 'm'));
    const home = homeView(await all.homeOf({ teamId: 'T1', userId: 'U1' })).blocks.map((block) => blockText(block));
    const line = marked(home.join('\n')).find((each) => each.line.startsWith('• wobbly: '));
    expect(line?.mark).toBe(mark);
    const advice = /What to try: [^\n]*/.exec(status)?.[0] ?? 'none';
    expect(home.join('\n')).toContain(advice);
    const digest = digestRootMessage(await desk.facts(digestRequest(serviceNow))).text;
    expect(/• wobbly: .* since <!date/.test(digest)).toBe(verdict === 'failing');
  },
);
