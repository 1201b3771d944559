/** The stories of a sample that is built just before midnight, its outage at every hour, and its documentation. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { momentsOf } from '../../../src/query-service/sample/moments.ts';
import { sampleAt } from '../../support/service/sample.ts';
import { describeStories } from './stories.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describeStories('2026-06-30T23:58:41.250Z');

it('the outage is within 24 hours, and stays there for 9 more, at every hour of the day', () => {
  for (let hour = 0; hour < 24; hour += 1) {
    const builtAt = Date.parse('2026-11-20T00:59:59.999Z') + hour * hourMs;
    const { outageFrom, outageTo } = momentsOf(builtAt);
    expect(builtAt + 9 * hourMs - dayMs).toBeLessThan(outageFrom);
    expect(outageTo).toBeLessThan(builtAt - 12 * hourMs);
  }
});

it('docs/sample.md tells the story of every workflow, and of no other', () => {
  const page = readFileSync(new URL('../../../docs/sample.md', import.meta.url), 'utf8');
  const [table = ''] = page.split('## The other organizations');
  const listed = [...table.matchAll(/^\| `(.+?)` +\|/gm)].map(([, name = '']) => name.replaceAll('\\|', '|'));
  const { sample } = sampleAt('2026-11-20T10:00:00Z');
  expect(listed.sort()).toEqual(sample.workflows.map(({ name }) => name).sort());
});
