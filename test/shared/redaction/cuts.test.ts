/** No cut reveals a secret: secrets across every place where a long text is cut are masked. */
import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/bot/insight/digest/tally.ts';
import { readErrors } from '../../../src/bot/query/client/reply.ts';
import { describeText } from '../../../src/bot/slack/outbound/web-api/errors.ts';
import { outsideError, outsideLine } from '../../../src/bot/views/format/outside-text.ts';
import { safeBeginning, safeEnds } from '../../../src/shared/redaction/redact.ts';
import { createDraw } from '../../support/masking/draw.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';

const draw = createDraw(5);
/** Longer than the step between two places, so that every cut divides one. */
const stepUnits = 431;
const secret = draw.of('alnum', 480);
/** More than any of them reads. */
const textUnits = 50_000;
const carriers = [`Authorization: Bearer ${secret}`, `{"password":"${secret}"}`, `https://svc:${secret}@db.internal/x`];

function logged(text: string): string {
  const log = createMemoryLog();
  log.log.error({ err: new Error(text), detail: text }, 'failed');
  return log.text();
}

/** The texts that a digest stores of a failure. */
function kept(text: string): string {
  const tally = createTally({ from: 0, to: 10, zone: 'UTC' });
  const failure = { uuid: 'u', workflowName: text, startedAt: new Date(1).toISOString(), finishedAt: null };
  tally.add({ ...failure, errors: [{ error: text, count: 1 }], classifiedStatus: null });
  const [cause] = tally.result().causes.values();
  return JSON.stringify([cause?.sample, [...tally.result().workflows.keys()]]);
}

const cuts: Readonly<Record<string, { readonly run: (text: string) => string; readonly reach: number }>> = {
  'a line of a view': { run: (text) => outsideLine(text, 100_000), reach: 42_000 },
  'an error of a view': { run: (text) => outsideError(text, 100_000), reach: textUnits },
  'a short error of a view': { run: (text) => outsideError(text, 300), reach: textUnits },
  'the log': { run: logged, reach: 12_000 },
  'an error of the query service': {
    run: (text) => readErrors([{ message: text }])?.[0]?.message ?? '',
    reach: 12_000,
  },
  'an error of Slack': { run: describeText, reach: 24_000 },
  'a digest': { run: kept, reach: 12_000 },
  'the beginning of a text': { run: (text) => safeBeginning(text, 3000), reach: 16_000 },
  'the ends of a text': { run: (text) => safeEnds(text, 1000, 2000), reach: textUnits },
};

const partsOf = (word: string) => Array.from({ length: word.length - 7 }, (_, at) => word.slice(at, at + 8));
/** The last four characters may stay; eight others in a row may not. */
const parts = new Set(partsOf(secret.slice(0, -4)));

function leaked(masked: string): boolean {
  return [...masked.matchAll(/[a-z\d]{8,}/gi)].some(([word]) => partsOf(word).some((part) => parts.has(part)));
}

describe('a secret across a cut', () => {
  it.each(Object.entries(cuts))('leaves no part of it in %s', (_, { run, reach }) => {
    for (const carrier of carriers) {
      for (let at = 0; at < reach; at += stepUnits) {
        const before = 'words of a log '.repeat(Math.ceil(at / 15)).slice(0, at);
        const text = `${before} ${carrier} ${'and more '.repeat((textUnits - at) / 9)}`;
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
