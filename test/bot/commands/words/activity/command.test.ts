/** `activity` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/commands.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

describe('activity', () => {
  it.each([
    ['activity payments', /payments: 20,160 finished runs in the last 7 days.*Sat 21 .* 80 failed/s],
    ['activity', /All workflows: [\d,]+ finished runs in the last 7 days/],
    ['activity fx-rates 30d', /fx-rates: 8,640 finished runs in the last 30 days.*\n22 Oct/s],
    ['activity payments-eu yesterday', /payments-eu: 96 finished runs yesterday.*Runs per hour.* 13:00 /s],
    ['activity invoice-sync', /invoice-sync: no finished runs in the last 7 days\./],
  ])('answers “%s” with its facts', async (line, words) => {
    expect((await type(line)).text).toMatch(words);
  });

  it('comes with a picture whose alternative text has the numbers', async () => {
    const { answer } = await type('activity payments');
    const [picture, ...others] = answer.files ?? [];
    expect(others).toEqual([]);
    expect(picture).toMatchObject({ name: 'activity.png', altText: expect.stringMatching(/payments.*80 failed/s) });
    const png = await picture?.content();
    expect(
      Buffer.from(png ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it.each([
    '30m',
    '1h',
    '24h',
    '30h',
    'today',
    'yesterday',
    '31h',
    '2d',
    '7d',
    '30d',
    '90d',
    '2026-11-20T10:17Z..12:40Z',
  ])('of %s has the same totals in its sentence and in its picture', async (window) => {
    const { text, answer } = await type(`activity ${window}`);
    const [, succeeded, failed] = / ([\d,]+) succeeded, ([\d,]+|none) failed/.exec(text) ?? [];
    const alt = answer.files?.[0]?.altText ?? '';
    const shown = barsIn(alt);
    expect(alt).toContain(`${succeeded} succeeded, ${failed === 'none' ? 0 : failed} failed`);
    if (!alt.includes('left out')) expect(shown).toEqual({ succeeded: numberOf(succeeded), failed: numberOf(failed) });
    if (!text.includes('left out')) expect(linesIn(text)).toBe(numberOf(succeeded) + numberOf(failed));
  });

  it('has no picture if nothing ran', async () => {
    expect((await type('activity invoice-sync')).answer.files).toBeUndefined();
  });

  it('of an ambiguous name keeps the window in the choice', async () => {
    const { answer } = await type('activity pay 30d');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"activity [0-9a-f-]{36} 30d"/);
  });
});

function numberOf(words = 'none'): number {
  return words === 'none' ? 0 : Number(words.replaceAll(',', ''));
}

/** Sums of the bars that the alternative text names. */
function barsIn(alt: string) {
  const sum = (pattern: RegExp) => [...alt.matchAll(pattern)].reduce((total, [, words]) => total + numberOf(words), 0);
  return { succeeded: sum(/: ([\d,]+) ok/g), failed: sum(/ ok, ([\d,]+) failed/g) };
}

/** Sum of the bars in the text. */
function linesIn(text: string): number {
  return [...text.matchAll(/^\w+ \S+ [█▒ ]+ ([\d,]+)/gm)].reduce((total, [, words]) => total + numberOf(words), 0);
}
