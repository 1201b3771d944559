/** "Still failing, N of M runs since": how often an investigation says so while the failures go on, and after they have ended. */
import { riseOf } from '../../src/bot/commands/investigation/streak.ts';
import { createChance } from '../../test/support/insight/arrivals.ts';
import {
  type BlameHistory,
  type Change,
  changed,
  profileOf,
  type Setting,
} from '../../test/support/insight/blame-histories.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const seeds = 40;
const laterRuns = [1, 3, 10] as const;

const settings = [5, 15, 60].map((minutes): Setting => {
  return { everyMs: minutes * minuteMs, days: 40, deploymentsWeekly: 1, arrivals: 'schedule' };
});

const changes: readonly Omit<Change, 'failuresAfter'>[] = [
  { from: 0, to: 1 },
  { from: 0.01, to: 0.9 },
  { from: 0.05, to: 0.6 },
  { from: 0.2, to: 0.6 },
];

/** @param rate at which the runs after the failure that is looked into fail */
function later(history: BlameHistory, runs: number, rate: number, everyMs: number, seed: number): BlameHistory {
  const chance = createChance(seed, 2100);
  const added = Array.from({ length: runs }, (_, run) => {
    return { at: history.lookedAt + (run + 1) * everyMs, hasFailed: chance.hits(rate) };
  });
  return { ...history, executions: [...history.executions, ...added], now: history.now + runs * everyMs };
}

type Row = readonly (string | number)[];

/** @param goesOn whether the later runs fail at the rate of the rise, or at that of before */
function rowOf({ from, to }: Omit<Change, 'failuresAfter'>, goesOn: boolean): Row {
  const cells = laterRuns.map((runs) => {
    const said = settings.flatMap((setting) =>
      Array.from({ length: seeds }, (_, seed) => {
        const one = changed({ from, to, failuresAfter: 10 + 10 * (seed % 3) }, seed, setting);
        if (one === null) return [];
        const history = later(one.history, runs, goesOn ? to : from, setting.everyMs, seed);
        return [riseOf(profileOf(history).profile)?.isPrevailing === true];
      }).flat(),
    );
    return `${((100 * said.filter(Boolean).length) / said.length).toFixed(1)} %`;
  });
  return [`${100 * from} → ${100 * to} %, ${goesOn ? 'goes on' : 'over since'}`, ...cells];
}

export async function measure(): Promise<TruthSection> {
  return {
    title: 'Said to be still failing, by the runs since the failure that is looked into',
    head: ['Failure rate', ...laterRuns.map(String)],
    rows: [true, false].flatMap((goesOn) => changes.map((change) => rowOf(change, goesOn))),
  };
}
