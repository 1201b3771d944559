/** View of `deployment`. */
import { describe, expect, it } from 'vitest';
import { type DeploymentView, deploymentMessage } from '../../../../../src/bot/commands/words/deployment/view.ts';
import { deploymentListMessage } from '../../../../../src/bot/commands/words/deployments/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { aHealth, aStreak } from '../../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { regularSilence } from '../../../../support/insight/silences.ts';
import { aCountedDeployment, now } from '../../../../support/service/service-data.ts';

type Overrides = Partial<DeploymentView['deployment']>;
const artifacts = ['https://artifacts.example/main.wasm', 'https://artifacts.example/config.json'];

function view(overrides: Overrides = {}, workflow: DeploymentView['workflow'] = null): DeploymentView {
  const provenance = { source: 'live', asOf: now, missing: [] } as const;
  return {
    deployment: aCountedDeployment(overrides),
    workflow,
    state: workflow === null ? null : 'ACTIVE',
    isNewest: workflow === null ? null : true,
    previous: null,
    healths: [],
    provenance,
    now,
  };
}

describe('a deployment', () => {
  it('that another has replaced says so, and gives no advice', () => {
    const worse = { success: 0, failure: 9 };
    const text = deploymentMessage({
      ...view({ executionCountByStatus: worse }, { uuid: 'w-1', name: 'payments' }),
      ...{
        state: 'REPLACED',
        isNewest: false,
        previous: aCountedDeployment({ executionCountByStatus: { success: 90, failure: 0 } }),
      },
    }).text;
    expect(text).toContain('Deployment of payments: replaced');
    expect(text).toContain('Until the next deployment or attempt: 9 finished runs, all failed');
    expect(text).not.toContain('What to try');
  });

  it('shows its state, its time, its transaction, its artifacts and the runs since', () => {
    const message = deploymentMessage(view());
    expect(message.text).toMatch(/:white_circle: Deployment: activated, <!date[^>]*09:20 UTC>/);
    expect(message.text).toContain('Since then, until any later deployment: 96 finished runs, 2 failed');
    expect(message.text).toContain(`Transaction: 0x${'5209aa4a'.repeat(8)}`);
    expectGoodMessage(message, artifacts);
  });

  it('since which every run failed has no green tick, the numbers before it, and what to try', () => {
    const failing = aHealth({ state: 'failing', streak: aStreak({ failed: 103, since: now }) });
    const worse = {
      ...view({ executionCountByStatus: { success: 0, failure: 103 } }),
      ...{ previous: aCountedDeployment(), isNewest: true, healths: [{ name: 'payments', health: failing }] },
    };
    const message = deploymentMessage(worse);
    expect(message.text).toMatch(
      /^:red_circle: Failing now: .*\nWhat to try: .*\n:red_circle: Deployment: .*\. 103 of 103 runs since then failed; with the deployment before it \(<!date[^>]*>\), 2 of 96 failed\.\n/,
    );
    expectGoodMessage(message, artifacts);
    const alike = { ...view(), previous: aCountedDeployment(), isNewest: true };
    expect(deploymentMessage(alike).text).not.toMatch(/What to try|since then failed/);
  });

  it.each([
    [{ state: 'failing' }, 'red_circle'],
    [{ state: 'unstable' }, 'large_yellow_circle'],
    [{ silence: regularSilence(now - 3_600_000, 3_600_000, 900_000) }, 'warning'],
    [{ state: 'healthy' }, 'large_green_circle'],
    [{ state: 'unknown' }, 'grey_question'],
  ] as const)('that is active has the mark of its workflow, which is %j', (health, mark) => {
    const workflow = { uuid: 'w-1', name: 'payments' };
    const healths = [{ name: 'payments', health: aHealth(health) }];
    expect(deploymentMessage({ ...view({}, workflow), healths }).text).toContain(
      `:${mark}: Deployment of payments: active`,
    );
    const list = { deployments: [aCountedDeployment()], hasMore: false, page: 1, newer: [], zone: 'UTC' };
    const provenance = { source: 'live', asOf: now, missing: [] } as const;
    const { text } = deploymentListMessage({ ...list, workflow, healths, provenance, now });
    expect(text).toContain(`:${mark}: deployed`);
    expect(text).not.toContain(':white_check_mark:');
  });

  it('that failed shows the error to its end', () => {
    const errorMessage = `${'wrapped: '.repeat(500)}binary too large`;
    const { text } = deploymentMessage(view({ status: 'FAILED', errorMessage }));
    expect(text).toMatch(/:x: Deployment: failed.*\nError: “wrapped.*binary too large”\n/s);
  });

  it('without further facts says so', () => {
    const message = deploymentMessage(
      view({ txHash: null, binaryURL: null, configURL: null, executionCountByStatus: null }),
    );
    expect(message.text).toContain(
      '• Transaction: not reported\n• Binary: not reported\n• Configuration: not reported',
    );
    expectGoodMessage(message);
  });

  it('of a known workflow names it and links to it', () => {
    const message = deploymentMessage(view({}, { uuid: 'w-1', name: 'payments' }));
    expect(message.text).toContain('Deployment of payments: active');
    // It is the newest deployment.
    expect(message.text).toContain('Since then: 96 finished runs, 2 failed');
    expect(JSON.stringify(message.blocks)).toContain('"value":"deployments w-1"');
  });

  it.each([
    'http://artifacts.example/main.wasm',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'https://user:password@artifacts.example/main.wasm',
    'https://artifacts.example/?api_key=sk_live_0123456789abcdef',
    'https://artifacts.example/\u202egnp.exe',
    `https://artifacts.example/${'a'.repeat(4000)}`,
    '//artifacts.example/main.wasm',
    'ipfs://bafybeigdyrzt',
    'main.wasm',
    '',
  ])('shows the address %j as text, never as a link to something else', (binaryURL) => {
    const message = deploymentMessage(view({ binaryURL, configURL: null }));
    const links = JSON.stringify(message.blocks).match(/"type":"link","url":"[^"]*/g) ?? [];
    for (const link of links) expect(link).toMatch(/"url":"https:\/\/artifacts\.example\/%E2%80%AEgnp\.exe$/);
    expect(message.text).not.toMatch(/sk_live|:password@/);
  });

  it('links an address as a browser will read it, and shows where it leads', () => {
    const { blocks } = deploymentMessage(view({ binaryURL: 'https://аpple.example/x', configURL: null }));
    expect(JSON.stringify(blocks)).toContain('"url":"https://xn--pple-43d.example/x","text":"https://xn--pple-43d.');
  });

  it.each(hostileStrings('text'))('%s as error, hash, address and name is inert and fits', (_id, text) => {
    const overrides = { errorMessage: text, txHash: text, binaryURL: text, configURL: text };
    expectGoodMessage(deploymentMessage(view(overrides, { uuid: 'w-1', name: text })));
  });
});
