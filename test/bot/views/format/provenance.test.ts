/** The small print about the age of an answer. */
import { expect, it } from 'vitest';
import type { Provenance } from '../../../../src/bot/domain/provenance.ts';
import { sourceLine } from '../../../../src/bot/views/format/provenance.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const minuteMs = 60_000;

function line(provenance: Partial<Provenance>): string {
  return sourceLine({ source: 'stale', asOf: now - 3 * minuteMs, missing: [], ...provenance }, now).mrkdwn;
}

it.each(['busy', 'unreachable', 'failing'] as const)('a stale answer says that the service is %s', (staleReason) => {
  expect(line({ staleReason })).toBe(`:warning: query service ${staleReason}, as of 3 min ago`);
  expect(line({ staleReason, failingSince: now })).toMatch(
    / since <!date\^\d+\^[^>]+\|2026-11-21 10:00 UTC>, as of 3 min/,
  );
});

it.each([0, 4, 999, -50])('an age of %i ms is shown as one second', (ageMs) => {
  expect(line({ source: 'cached', asOf: now - ageMs })).toBe(':white_circle: cached 1 s ago');
});
