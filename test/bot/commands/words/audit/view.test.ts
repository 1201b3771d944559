/** View of `audit`. */
import { expect, it } from 'vitest';
import { auditMessage } from '../../../../../src/bot/commands/words/audit/view.ts';
import { limits } from '../../../../../src/shared/block-kit/limits.ts';
import { validateBlocks } from '../../../../../src/shared/block-kit/validate.ts';

const at = Date.parse('2026-11-21T10:30:00Z');
const entry = (number: number, more: object = {}) => {
  return {
    number,
    at,
    userId: 'U01ADA00000',
    action: 'settings changed',
    detail: { logs: 'nowhere', ref: 'r1' },
    ...more,
  };
};
const page = (...numbers: readonly number[]) => numbers.map((number) => entry(number));
const shown = (audit: Partial<Parameters<typeof auditMessage>[0]>) =>
  auditMessage({ entries: [], isNewest: true, firstBroken: null, ...audit });

it('an entry has actor, action, target and place, with ids as mentions of people and channels', () => {
  const granted = entry(2, { action: 'role granted', detail: { to: 'U01BEN00000', role: 'admin' } });
  const chosen = entry(1, { detail: { logs: 'C01GENERAL0, C01PAYMENTS', ref: 'r1' } });
  expect(shown({ entries: [granted, chosen] }).text).toMatchInlineSnapshot(`
    "Audit, newest first: 2 to 1
    • <!date^1795257000^{date_short_pretty} at {time}|2026-11-21 10:30 UTC> <@U01ADA00000>: role granted: to <@U01BEN00000>, role admin
    • <!date^1795257000^{date_short_pretty} at {time}|2026-11-21 10:30 UTC> <@U01ADA00000>: settings changed: logs <#C01GENERAL0>, <#C01PAYMENTS> (r1)
    Between the oldest and the newest entry, none is missing or changed. If the newest were deleted, only the bot’s log shows it."
  `);
});

it('an entry of the bot itself names the bot', () => {
  expect(shown({ entries: [entry(1, { userId: '' })] }).text).toContain('the bot itself: settings changed');
});

it('an unreadable secret is a sentence, with its reason if that was recorded', () => {
  const told = (detail: object) =>
    shown({ entries: [entry(1, { userId: '', action: 'decrypt failure', detail })] }).text.split('\n')[1];
  const why = 'its row in the database was changed';
  expect(told({ what: 'bot token', why, ref: 'r1' })).toMatch(
    /: the stored bot token could not be decrypted: its row in the database was changed \(r1\)$/,
  );
  expect(told({ what: 'API key', ref: 'r1' })).toMatch(/: the stored API key could not be decrypted \(r1\)$/);
});

it('the audit links to older entries and back to the newest', () => {
  const lines = (audit: Parameters<typeof shown>[0]) =>
    [...JSON.stringify(shown(audit).blocks).matchAll(/"value":"([^"]*)"/g)].map(([, line]) => line);
  expect(lines({ entries: page(30, 29) })).toEqual(['audit --before 29']);
  expect(lines({ entries: page(3, 2), isNewest: false })).toEqual(['audit', 'audit --before 2']);
  expect(lines({ entries: page(2, 1), isNewest: false })).toEqual(['audit']);
  expect(lines({ isNewest: false })).toEqual(['audit']);
});

it('a tampered audit names the first broken entry, and is not called intact', () => {
  const { text } = shown({ entries: page(9, 8), firstBroken: 7 });
  expect(text).toContain('Entry 7 is missing or was changed outside the bot.');
  expect(text).not.toContain('as it was written:');
});

it('an empty audit says so', () => {
  expect(shown({}).text).toContain('The audit log is empty.');
});

it('an entry with any text fits Slack’s limits', () => {
  const detail = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`n${index}`, `<!channel> ${'x'.repeat(900)}`]),
  );
  const { text, blocks } = shown({ entries: Array.from({ length: 15 }, (_, index) => entry(15 - index, { detail })) });
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeLessThanOrEqual(limits.message.advisedTextUnitsMax);
  expect(text).not.toContain('<!channel>');
});
