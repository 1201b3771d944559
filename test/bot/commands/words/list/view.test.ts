/** View of `list`. */
import { describe, expect, it } from 'vitest';
import { listMessage, type WorkflowList } from '../../../../../src/bot/commands/words/list/view.ts';
import { verdicts } from '../../../../../src/bot/insight/health/health.ts';
import { hostileStrings } from '../../../../support/hostile/hostile.ts';
import { aJudged } from '../../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../../support/insight/message-rules.ts';
import { aWorkflow, now } from '../../../../support/service/service-data.ts';

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => aJudged('healthy', aWorkflow({ uuid: `${index}` }), now));

function list(overrides: Partial<WorkflowList> = {}): WorkflowList {
  const provenance = { source: 'cached', asOf: now - 12_000, missing: [] } as const;
  const judged = overrides.judged ?? [aJudged('healthy', aWorkflow(), now)];
  return { judged, total: judged.length, text: undefined, statuses: undefined, page: 1, provenance, now, ...overrides };
}

function lines(message: { readonly blocks: readonly unknown[] }): string {
  return JSON.stringify(message.blocks);
}

describe('the list', () => {
  it('shows the health, last run and failures of each workflow', () => {
    const { text } = listMessage(list());
    expect(text).toMatch(
      /:large_green_circle: payments \(healthy\) · 0 of 288 · <!date\^\d+\^[^|]+\|2026-11-21 09:58 UTC>/,
    );
    expect(text).toMatch(/As of .* \(cached\)/);
  });

  it('marks each workflow with its health, names what is not healthy, and counts all', () => {
    const judged = verdicts.map((verdict) => aJudged(verdict, aWorkflow({ name: verdict, status: 'PAUSED' }), now));
    const { text } = listMessage(list({ judged }));
    expect(text).toContain('Workflows: 1 failing, 1 silent, 1 never ran, 1 unstable, ');
    expect(text).toMatch(/:red_circle: failing \(failing.*:warning: silent \(silent.*never_ran \(never ran/s);
    expect(text).toMatch(/:white_circle: inactive \(paused\)/);
    expect(text).toMatch(/: recovered \(recovered, last failure <!date/);
    expect(text).toMatch(/: healthy \(healthy, paused\)/);
  });

  it('is cut into pages of twenty after it is sorted', () => {
    const judged = rowsOf(45);
    const { text, blocks } = listMessage(list({ judged, page: 3 }));
    expect(text).toContain('Workflows: 45 healthy. Page 3: 5 of 45 workflows.');
    expect(lines({ blocks })).toContain('◀ Page 2');
    expect(lines({ blocks })).not.toContain('Page 4');
  });

  it('of too many workflows says that the health is that of the page', () => {
    const { text } = listMessage(list({ judged: rowsOf(20), total: 400, page: 2 }));
    expect(text).toContain('Page 2: 20 of 400 workflows, by name; the counts cover this page only.');
  });

  it('counts paused and deleted workflows apart', () => {
    const judged = ['PAUSED', 'DELETED'].map((status) => aJudged('inactive', aWorkflow({ name: status, status }), now));
    expect(listMessage(list({ judged })).text).toContain('Workflows: 1 paused, 1 deleted.');
  });

  it('without workflows names the filters', () => {
    const message = listMessage(list({ judged: [], text: 'zzz', statuses: ['PAUSED'] }));
    expect(message.text).toContain('There are no workflows with “zzz” in the name, with the status paused.');
    expectGoodMessage(message);
  });

  it.each([1, 2])('of unreadable rows, on page %i, does not count as empty', (page) => {
    const provenance = { source: 'live', asOf: now, missing: ['1 of the workflows'] } as const;
    const { text } = listMessage(list({ judged: [], page, provenance }));
    expect(text).toMatch(/^Workflows: none was found, but the list is incomplete\./);
    expect(text).toContain('Not known: 1 of the workflows');
  });

  it('beyond the last page says so and links back', () => {
    const message = listMessage(list({ judged: [], page: 999_999_999 }));
    expect(message.text).toContain('There is no page 999,999,999');
    expect(lines(message)).toContain('◀ Page 1');
  });

  it('links to the pages around it with its filters kept', () => {
    const message = listMessage(list({ judged: rowsOf(45), page: 2, text: 'pay', statuses: ['ACTIVE', 'PAUSED'] }));
    expect(lines(message)).toContain('"list pay --status active,paused"');
    expect(lines(message)).toContain('"list pay --status active,paused --page 3"');
  });

  it('offers a search by name if it does not contain all workflows', () => {
    const search = 'cmd:open:search:status ';
    expect(lines(listMessage(list()))).not.toContain(search);
    for (const part of [{ total: 21 }, { text: 'pay' }, { page: 2 }, { judged: [], text: 'zzz' }]) {
      expect(lines(listMessage(list(part)))).toContain(search);
    }
  });

  it.each([1, 20, 99])('of %i workflows fits Slack', (length) => {
    expectGoodMessage(listMessage(list({ judged: rowsOf(length) })));
  });

  it('of twenty workflows with the longest names fits Slack', () => {
    const judged = rowsOf(20).map(({ workflow, ...rest }) => ({
      ...rest,
      workflow: { ...workflow, name: 'n'.repeat(5000) },
    }));
    expectGoodMessage(listMessage(list({ judged })));
  });

  it('says “never” for a workflow that has not run yet', () => {
    expect(listMessage(list({ judged: [aJudged('never_ran', aWorkflow({ executedAt: null }), now)] })).text).toContain(
      'payments (never ran) · – · never',
    );
  });

  it.each(hostileStrings('text'))('%s as a name is inert and fits', (_id, name) => {
    expectGoodMessage(listMessage(list({ judged: [aJudged('failing', aWorkflow({ name }), now)] })));
  });
});
