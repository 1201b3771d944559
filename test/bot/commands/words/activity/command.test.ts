/** `activity` against the sample organization. */
import { describe, expect, it } from 'vitest';
import { useTestCommands } from '../../../../support/commands.ts';

const test = useTestCommands();
const type = (line: string) => test().type(line);

describe('activity', () => {
  it.each([
    ['activity payments', /payments: 20,160 finished runs in the last 7d.*Sat 21 .* 80 failed/s],
    ['activity', /All workflows: [\d,]+ finished runs in the last 7d/],
    ['activity fx-rates 30d', /fx-rates: 8,640 finished runs in the last 30d.*\n22 Oct/s],
    ['activity payments-eu yesterday', /payments-eu: 96 finished runs yesterday/],
    ['activity invoice-sync', /invoice-sync: no finished runs in the last 7d\./],
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

  it('has no picture if nothing ran', async () => {
    expect((await type('activity invoice-sync')).answer.files).toBeUndefined();
  });

  it('of an ambiguous name keeps the window in the choice', async () => {
    const { answer } = await type('activity pay 30d');
    expect(JSON.stringify(answer.message.blocks)).toMatch(/"value":"activity [0-9a-f-]{36} 30d"/);
  });
});
