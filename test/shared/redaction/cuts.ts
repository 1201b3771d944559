/** The places where long texts are cut, and secrets that lie across each of them. */
import { expect } from 'vitest';
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
type Cut = { readonly run: (text: string) => string; readonly reach: number };

/** Each of the places where a secret begins has one of them in a run. */
export const carriers = [
  `Authorization: Bearer ${secret}`,
  `{"password":"${secret}"}`,
  `https://svc:${secret}@db.internal/x`,
];

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

export const cuts: Readonly<Record<string, Cut>> = {
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

/** @param first the carrier at the first place; the next places have the next ones */
export function expectNoPart({ run, reach }: Cut, first: number): void {
  for (let [at, index] = [0, first]; at < reach; at += stepUnits, index += 1) {
    const before = 'words of a log '.repeat(Math.ceil(at / 15)).slice(0, at);
    const text = `${before} ${carriers[index % carriers.length]} ${'and more '.repeat((textUnits - at) / 9)}`;
    expect({ at, leaked: leaked(run(text)) }).toEqual({ at, leaked: false });
  }
}
