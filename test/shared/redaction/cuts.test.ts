/** No cut reveals a secret: secrets across every place where a long text is cut are masked. */
import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/bot/insight/digest/tally.ts';
import { readErrors } from '../../../src/bot/query/client/reply.ts';
import { describeText } from '../../../src/bot/slack/outbound/web-api/errors.ts';
import { outsideError, outsideLine } from '../../../src/bot/views/format/outside-text.ts';
import { safeBeginning, safeEnds } from '../../../src/shared/redaction/redact.ts';
import { createDraw } from '../../support/masking/draw.ts';
import { createMemoryLog } from '../../support/memory-log.ts';

const draw = createDraw(5);
/** Longer than the step between two texts, so that every cut divides one in some text. */
const secret = draw.of('alnum', 260);
const stepUnits = 211;
/** From one secret of a text to the next. */
const periodUnits = 5 * stepUnits;
const textUnits = 60_000;
const carriers = [`Authorization: Bearer ${secret}`, `{"password":"${secret}"}`, `https://svc:${secret}@db.internal/x`];

function logged(text: string): string {
  const log = createMemoryLog();
  log.log.error({ err: new Error(text), detail: text }, 'failed');
  return log.text();
}

/** The texts that a digest stores of a failure. */
function kept(text: string): string {
  const tally = createTally({ from: 0, to: 10 });
  const failure = { uuid: 'u', workflowName: text, startedAt: new Date(1).toISOString(), finishedAt: null };
  tally.add({ ...failure, errors: [{ error: text, count: 1 }], classifiedStatus: null });
  const [cause] = tally.result().causes.values();
  return JSON.stringify([cause?.sample, [...tally.result().workflows.keys()]]);
}

const cuts: Readonly<Record<string, (text: string) => string>> = {
  'a line of a view': (text) => outsideLine(text, 100_000),
  'an error of a view': (text) => outsideError(text, 100_000),
  'a short error of a view': (text) => outsideError(text, 300),
  'the log': logged,
  'an error of the query service': (text) => readErrors([{ message: text }])?.[0]?.message ?? '',
  'an error of Slack': describeText,
  'a digest': kept,
  'the beginning of a text': (text) => safeBeginning(text, 3000),
  'the ends of a text': (text) => safeEnds(text, 1000, 2000),
};

/** The last four characters may stay; eight others in a row may not. */
function leaked(masked: string): boolean {
  for (let at = 0; at + 8 <= secret.length - 4; at++) if (masked.includes(secret.slice(at, at + 8))) return true;
  return false;
}

describe('a secret across a cut', () => {
  it.each(Object.entries(cuts))('leaves no part of it in %s', (_, run) => {
    for (const carrier of carriers) {
      const period = ` ${carrier} `.padEnd(periodUnits, 'words of a log ');
      for (let at = 0; at < periodUnits; at += stepUnits) {
        const text = `${'and more '.repeat(periodUnits).slice(0, at)}${period.repeat(textUnits / periodUnits)}`;
        expect({ at, leaked: leaked(run(text)) }).toEqual({ at, leaked: false });
      }
    }
  });

  it('costs as much as the inspected text, not the whole', () => {
    const masked = safeBeginning('token=aB3dE5fG7hI9 '.repeat(1_000_000), 500);
    expect(masked.length).toBeLessThanOrEqual(500);
    expect(safeEnds('x '.repeat(50_000), 100, 200)).toHaveLength(303);
  });
});
