/** View of `deployments`. */
import { describe, expect, it } from 'vitest';
import { type DeploymentList, deploymentListMessage } from '../../../../../src/bot/commands/words/deployments/view.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { aCountedDeployment, ago, now } from '../../../../support/service/service-data.ts';

function list(overrides: Partial<DeploymentList> = {}): DeploymentList {
  return {
    deployments: [aCountedDeployment()],
    hasMore: false,
    workflow: { uuid: 'w-1', name: 'payments' },
    healths: [],
    page: 1,
    newer: [],
    zone: 'Europe/Berlin',
    provenance: { source: 'live', asOf: now, missing: [] },
    now,
    ...overrides,
  };
}

const textOf = (overrides: Partial<DeploymentList>) => deploymentListMessage(list(overrides)).text;
const blocksOf = (overrides: Partial<DeploymentList>) => JSON.stringify(deploymentListMessage(list(overrides)).blocks);

describe('the deployments', () => {
  it('call only the newest that took effect active, and earlier ones replaced, or stopped by a pause alone', () => {
    const rows = (...statuses: readonly ('FAILED' | 'ACTIVE' | 'PAUSED')[]) =>
      statuses.map((status, index) => aCountedDeployment({ uuid: `d-${index}`, status }));
    const deployments = rows('FAILED', 'ACTIVE', 'PAUSED', 'ACTIVE');
    const states = (newer: DeploymentList['deployments']) =>
      [...textOf({ deployments, newer }).matchAll(/^• :\w+: (\w+) .*?>(?:, (?:now |since )?(\w+))?/gm)].map(
        ([, verb, state]) => state ?? verb,
      );
    expect(states([])).toEqual(['failed', 'active', 'paused', 'replaced']);
    expect(states(rows('FAILED'))).toEqual(['failed', 'active', 'paused', 'replaced']);
    expect(states(rows('ACTIVE'))).toEqual(['failed', 'replaced', 'paused', 'replaced']);
    expect(states(rows('FAILED', 'PAUSED'))).toEqual(['failed', 'stopped', 'paused', 'replaced']);
  });

  it('that were rejected show the runs since as those of the earlier version', () => {
    expect(textOf({ deployments: [aCountedDeployment({ status: 'FAILED' })] })).toContain(
      'failed · with the earlier version: 96 finished runs, 2 failed',
    );
  });

  it('have the time zone of the list in the menu', () => {
    expect(blocksOf({})).toContain('"text":"deployed Sat 21 Nov 10:20, now active"');
  });

  it('show the state in words, the time, the runs since and the shortened hash of each', () => {
    expect(textOf({})).toMatch(
      /Deployments of payments, newest first\n• :white_circle: deployed <!date[^>]*09:20 UTC>, now active · 96 finished runs, 2 failed · [0-9a-z-]{8}\n?/,
    );
  });

  it.each([
    ['PENDING', /^• :hourglass_flowing_sand: deployment of <!date[^>]*>, pending/m],
    ['FAILED', /^• :x: attempted <!date[^>]*>, failed/m],
    ['PAUSED', /^• :double_vertical_bar: paused <!date[^>]*> ·/m],
    ['DELETED', /^• :wastebasket: deleted <!date[^>]*> ·/m],
  ] as const)('that are %s are shown as %s', (status, words) => {
    expect(textOf({ deployments: [aCountedDeployment({ status })] })).toMatch(words);
  });

  it('that failed show the end of a long error', () => {
    const errorMessage = `${'wrapped: '.repeat(200)}binary too large`;
    expect(textOf({ deployments: [aCountedDeployment({ errorMessage })] })).toMatch(/wrapped: .* … .*binary too large/);
  });

  it('without counts are shown without them', () => {
    const bare = aCountedDeployment({ executionCountByStatus: null });
    expect(textOf({ deployments: [bare] })).toMatch(
      /• :white_circle: deployed <!date[^>]*>, now active · [0-9a-f]{8}\n/,
    );
  });

  it('can be opened from a menu and paged', () => {
    const blocks = blocksOf({ page: 2, hasMore: true });
    expect(blocks).toContain(`"value":"deployment ${aCountedDeployment().uuid}"`);
    expect(blocks).toContain('"value":"deployments w-1"');
    expect(blocks).toContain('"value":"deployments w-1 --page 3"');
  });

  it('have a sentence for none, and a link back beyond the last page', () => {
    expect(textOf({ deployments: [] })).toContain('The query service has no deployment of payments');
    expect(textOf({ deployments: [], page: 9 })).toContain('There is no page 9');
    expectGoodMessage(deploymentListMessage(list({ deployments: [] })));
  });

  it('that could not be read do not count as none', () => {
    const provenance = { source: 'live', asOf: now, missing: ['1 of the deployments'] } as const;
    expect(textOf({ deployments: [], provenance })).toContain('payments: the deployments could not be read.');
  });

  it.each([1, 10, 100])('of %i fit Slack with the longest errors', (length) => {
    const deployments = Array.from({ length }, (_, index) =>
      aCountedDeployment({ uuid: `d-${index}`, deployedAt: ago(index), errorMessage: 'e'.repeat(9000) }),
    );
    expectGoodMessage(deploymentListMessage(list({ deployments })));
  });

  it.each(hostileStrings('text'))('%s as name, error, hash and id is inert and fits', (_id, text) => {
    const deployments = [aCountedDeployment({ errorMessage: text, txHash: text, uuid: text })];
    const workflow = { uuid: 'w-1', name: text } as const;
    expectGoodMessage(deploymentListMessage(list({ deployments, workflow })));
  });
});
