/** "Fails more often since": how often it is said without a rise of the failure rate, and how far the instant is from the true one. */
import { riseOf } from '../../src/bot/commands/investigation/streak.ts';
import {
  type BlameHistory,
  type Change,
  changed,
  profileOf,
  type Setting,
  unchanged,
} from '../../test/support/insight/blame-histories.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const everyMinutes = [5, 15, 60] as const;
const seeds = 600;

const changes: readonly Omit<Change, 'failuresAfter'>[] = [
  { from: 0, to: 0.1 },
  { from: 0, to: 1 },
  { from: 0.001, to: 0.9 },
  { from: 0.05, to: 0.3 },
  { from: 0.2, to: 0.5 },
];

const settings = everyMinutes.map((minutes): Setting => {
  return { everyMs: minutes * minuteMs, days: 40, deploymentsWeekly: 1, arrivals: 'schedule' };
});

/** One history in each setting and for each seed. */
function overAll<T>(ask: (seed: number, setting: Setting) => T | null): readonly T[] {
  const asked = settings.flatMap((setting) => Array.from({ length: seeds }, (_, seed) => ask(seed, setting)));
  return asked.filter((one) => one !== null);
}

const sinceIn = (history: BlameHistory) => riseOf(profileOf(history).profile);
const percent = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

function falseRow(): readonly (string | number)[] {
  const said = overAll((seed, setting) => {
    const history = unchanged('no change', seed, setting);
    return history === null ? null : sinceIn(history) !== null;
  });
  return ['no change', said.length, percent(said.filter(Boolean).length, said.length), '', ''];
}

/** Executions between the instant that is said and the change, before or after it. */
function distance(change: Omit<Change, 'failuresAfter'>, seed: number, setting: Setting) {
  const one = changed({ ...change, failuresAfter: 10 + 10 * (seed % 3) }, seed, setting);
  if (one === null) return null;
  const rise = sinceIn(one.history);
  const at = Number(one.history.deployments.find(({ uuid }) => uuid === one.uuid)?.deployedAt);
  return { executions: rise === null ? null : Math.abs(rise.since - at) / setting.everyMs };
}

function changeRow(change: Omit<Change, 'failuresAfter'>): readonly (string | number)[] {
  const tried = overAll((seed, setting) => distance(change, seed, setting));
  const said = tried.flatMap(({ executions }) => (executions === null ? [] : [executions])).toSorted((a, b) => a - b);
  const quantile = (share: number) => (said[Math.floor(share * said.length)] ?? Number.NaN).toFixed(0);
  const name = `${100 * change.from} % → ${100 * change.to} %`;
  return [name, tried.length, percent(said.length, tried.length), quantile(0.5), quantile(0.95)];
}

export async function measure(): Promise<TruthSection> {
  return {
    title: `Since: every ${everyMinutes.join(', ')} min over 40 days, looked at after 10 to 30 failures`,
    head: ['', 'tried', 'said', 'executions from the change: median', '95 %'],
    rows: [falseRow(), ...changes.map(changeRow)],
  };
}
