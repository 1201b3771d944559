/** Every surface shows the same health of a workflow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryHealth } from '../../../src/bot/health/workflow-health.ts';
import { blockText } from '../../../src/bot/views/blocks/message.ts';
import { homeView } from '../../../src/bot/views/home/home.ts';
import { sampleNow, startTestCommands, type TestCommands } from '../../support/bot/commands.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

let service: TestService;
let commands: TestCommands;
let apiKey = '';

beforeAll(async () => {
  service = await startTestService({ sample: 'fixed', hasRecords: false, clock: () => sampleNow });
  [apiKey = ''] = Object.values(service.sampleKeys);
  commands = await startTestCommands({ service: { url: service.url, apiKey } });
});
afterAll(async () => {
  await commands.close();
  await service.close();
});

/** The lines of a Home, each with the mark of its group. */
function marked(home: string): readonly { readonly mark: string; readonly line: string }[] {
  let mark = '';
  return home.split('\n').map((line) => {
    mark = /^:(\w+):/.exec(line)?.[1] ?? mark;
    return { mark, line };
  });
}

async function judge(count = Number.POSITIVE_INFINITY) {
  await using query = createTestQuery(service.url, apiKey, { clock: () => sampleNow });
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
