/** The small print about the age of an answer. */
import { expect, it } from 'vitest';
import type { Provenance } from '../../../../src/bot/domain/provenance.ts';
import { sourceLine, windowLine } from '../../../../src/bot/views/format/provenance.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const minuteMs = 60_000;

function line(provenance: Partial<Provenance>): string {
  return sourceLine({ source: 'stale', asOf: now - 3 * minuteMs, missing: [], ...provenance }, now).mrkdwn;
}

it.each([
  ['busy', 'busy'],
  ['unreachable', 'unreachable'],
  ['late', 'unresponsive'],
  ['failing', 'failing'],
] as const)('a stale answer (%s) says that the service is %s, its time and its age', (staleReason, words) => {
  expect(line({ staleReason })).toMatch(
    new RegExp(`^:warning: query service ${words}, as of <!date[^>]+\\|2026-11-21 09:57 UTC>, 3 min old$`),
  );
  expect(line({ staleReason, failingSince: now })).toMatch(
    / since <!date\^\d+\^[^>]+\|2026-11-21 10:00 UTC>, as of .*, 3 min old/,
  );
});

it.each([0, 4, 999, -50])('an age of %i ms is shown as one second', (ageMs) => {
  expect(line({ asOf: now - ageMs })).toMatch(/, 1 s old$/);
});

it.each(['live', 'cached'] as const)('a %s answer has a time that is right whenever it is read', (source) => {
  const text = line({ source, asOf: now - 12_000 });
  expect(text).toMatch(/ as of <!date\^\d+\^\{date_short_pretty\} at \{time\}\|2026-11-21 09:59 UTC>$/);
  expect(text).not.toContain('ago');
});

it.each(['live', 'cached', 'stale'] as const)(
  'a moving window of a %s answer ends when the service answered',
  (source) => {
    const provenance = { source, asOf: now - 3 * minuteMs, missing: [] };
    const window = { from: now - 60 * minuteMs, to: now, label: '1h', isMoving: true };
    expect(windowLine({ window, provenance, now }).mrkdwn).toMatch(
      /^From <!date[^>]+\|2026-11-21 08:57 UTC> to <!date[^>]+\|2026-11-21 09:57 UTC>$/,
    );
  },
);
