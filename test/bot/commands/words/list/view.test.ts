/** View of `list`. */
import { describe, expect, it } from 'vitest';
import { listMessage, type WorkflowList } from '../../../../../src/bot/commands/words/list/view.ts';
import { hostileStrings } from '../../../../support/hostile.ts';
import { expectGoodMessage } from '../../../../support/message-rules.ts';
import { aWorkflow, now } from '../../../../support/service-data.ts';

function list(overrides: Partial<WorkflowList> = {}): WorkflowList {
  const provenance = { source: 'cached', asOf: now - 12_000, missing: [] } as const;
  return {
    workflows: [aWorkflow()],
    hasMore: false,
    text: undefined,
    statuses: undefined,
    page: 1,
    provenance,
    now,
    ...overrides,
  };
}

function lines(message: { readonly blocks: readonly unknown[] }): string {
  return JSON.stringify(message.blocks);
}

describe('the list', () => {
  it('shows the status, last run, successes and failures of each workflow', () => {
    const { text } = listMessage(list());
    expect(text).toMatch(/payments · <!date\^\d+\^[^|]+\|2026-11-21 09:58 UTC> · 31 of 8,671/);
    expect(text).toContain('cached 12 s ago');
  });

  it('names the state of a workflow that is not active', () => {
    expect(listMessage(list({ workflows: [aWorkflow({ status: 'PAUSED' })] })).text).toContain('payments (paused)');
  });

  it('is ordered by name if it fits one page, and in the service’s order otherwise', () => {
    const workflows = ['b', 'a'].map((name) => aWorkflow({ name, uuid: name }));
    expect(listMessage(list({ workflows })).text).toMatch(/a · .*b · /s);
    expect(listMessage(list({ workflows, hasMore: true })).text).toMatch(/b · .*a · /s);
  });

  it('without workflows names the filters', () => {
    const message = listMessage(list({ workflows: [], text: 'zzz', statuses: ['PAUSED'] }));
    expect(message.text).toContain('No workflows with “zzz” in the name, status paused.');
    expectGoodMessage(message);
  });

  it.each([1, 2])('of unreadable rows, on page %i, does not count as empty', (page) => {
    const provenance = { source: 'live', asOf: now, missing: ['1 of the workflows'] } as const;
    const { text } = listMessage(list({ workflows: [], page, provenance }));
    expect(text).toMatch(/^No workflows that could be read\./);
    expect(text).toContain('could not give: 1 of the workflows');
  });

  it('beyond the last page says so and links back', () => {
    const message = listMessage(list({ workflows: [], page: 999_999_999 }));
    expect(message.text).toContain('Page 999,999,999 is beyond the end');
    expect(lines(message)).toContain('◀ Page 1');
  });

  it('links to the pages around it with its filters kept', () => {
    const message = listMessage(list({ page: 2, hasMore: true, text: 'pay', statuses: ['ACTIVE', 'PAUSED'] }));
    expect(lines(message)).toContain('"list pay --status active,paused"');
    expect(lines(message)).toContain('"list pay --status active,paused --page 3"');
  });

  it('offers a search by name if it does not contain all workflows', () => {
    const search = 'cmd:open:search:status ';
    expect(lines(listMessage(list()))).not.toContain(search);
    for (const part of [{ hasMore: true }, { text: 'pay' }, { page: 2 }, { workflows: [], text: 'zzz' }]) {
      expect(lines(listMessage(list(part)))).toContain(search);
    }
  });

  it.each([1, 20, 99])('of %i workflows fits Slack', (length) => {
    expectGoodMessage(
      listMessage(list({ workflows: Array.from({ length }, (_, index) => aWorkflow({ uuid: `${index}` })) })),
    );
  });

  it('of twenty workflows with the longest names fits Slack', () => {
    const workflows = Array.from({ length: 20 }, (_, index) => aWorkflow({ uuid: `${index}`, name: 'n'.repeat(5000) }));
    expectGoodMessage(listMessage(list({ workflows })));
  });

  it('says “never” for a workflow that has not run yet', () => {
    expect(listMessage(list({ workflows: [aWorkflow({ executedAt: null })] })).text).toContain('payments · never');
  });

  it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, name) => {
    expectGoodMessage(listMessage(list({ workflows: [aWorkflow({ name })] })));
  });
});
