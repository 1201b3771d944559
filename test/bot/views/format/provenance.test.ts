/** The small print about the age of an answer. */
import { expect, it } from 'vitest';
import type { Provenance } from '../../../../src/bot/domain/provenance.ts';
import { blockText } from '../../../../src/bot/views/blocks/message.ts';
import { sourceLines, staleLine, windowLine } from '../../../../src/bot/views/format/provenance.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const minuteMs = 60_000;

function line(provenance: Partial<Provenance>): string {
  const lines = sourceLines({ source: 'stale', asOf: now - 3 * minuteMs, missing: [], ...provenance }, now);
  return lines.map(({ mrkdwn }) => mrkdwn).join('\n');
}

function firstLine(provenance: Partial<Provenance>): string {
  const blocks = staleLine({ source: 'stale', asOf: now - 3 * minuteMs, missing: [], ...provenance }, now);
  return blocks.map(blockText).join('\n');
}

it.each([
  ['busy', 'busy'],
  ['unreachable', 'unreachable'],
  ['late', 'unresponsive'],
  ['failing', 'failing'],
] as const)('a stale answer (%s) begins with its age, its time and that the service is %s', (staleReason, words) => {
  expect(firstLine({ staleReason })).toMatch(
    new RegExp(
      `^:warning: This answer is 3 min old, as of <!date[^>]+\\|2026-11-21 09:57 UTC>: the query service is ${words}\\.$`,
    ),
  );
  expect(firstLine({ staleReason, failingSince: now })).toMatch(
    / the query service has been \w+ since <!date\^\d+\^[^>]+\|2026-11-21 10:00 UTC>\.$/,
  );
  expect(line({ staleReason })).toMatch(/^:warning: As of <!date[^>]+\|2026-11-21 09:57 UTC>, 3 min old$/);
});

it.each([0, 4, 999, -50])('an age of %i ms is shown as one second', (ageMs) => {
  expect(line({ asOf: now - ageMs })).toMatch(/, 1 s old$/);
});

it.each(['live', 'cached'] as const)('a %s answer has a time that is right whenever it is read', (source) => {
  const text = line({ source, asOf: now - 12_000 });
  expect(text).toMatch(/^As of <!date\^\d+\^\{date_short_pretty\} at \{time\}\|2026-11-21 09:59 UTC>(?: \(cached\))?$/);
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
