/** Provenance of an answer that combines several. */
import { expect, it } from 'vitest';
import { combinedProvenance, type Provenance } from '../../../src/bot/domain/provenance.ts';

const live: Provenance = { source: 'live', asOf: 300, missing: [] };
const cached: Provenance = { source: 'cached', asOf: 200, missing: ['the days'] };
const stale: Provenance = { source: 'stale', asOf: 100, missing: ['the days'], staleReason: 'busy' };

it('an answer of several parts is as old as the oldest and lacks what any of them lacks', () => {
  expect(combinedProvenance(live)).toEqual(live);
  expect(combinedProvenance(live, cached)).toEqual({ source: 'cached', asOf: 200, missing: ['the days'] });
});

it('an answer with a stale part is stale, and says why', () => {
  expect(combinedProvenance(cached, stale, live)).toEqual(stale);
});
