/** Digests of killed processes: due digests are compared with visible messages. All failpoints: `npm run test:long`; a thousand kills: `npm run bench -- delivery`. */
import { describe, expect, it } from 'vitest';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import {
  atRandom,
  duringPosts,
  everyFailpoint,
  limitedTrialOf,
  randomOf,
  trialOf,
} from '../../support/delivery/presets.ts';
import { strategies } from '../../support/delivery/strategies.ts';
import { runTrial } from '../../support/delivery/trial.ts';
import { newSqlite } from '../../support/engines.ts';

const seed = 20_261_122;
const timeout = 240_000;

describe('digests of a bot that is killed', { timeout }, () => {
  it('process/kill9-loop: at every second failpoint, during posts and at random: posted once, each with its reply', async () => {
    const kills = [
      ...everyFailpoint().filter((_, index) => index % 2 === 0),
      ...duringPosts,
      ...atRandom(5, randomOf(seed)),
    ];
    const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), kills, seed }));
    expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
    expect(counts.posted).toBe(counts.due);
    expect(counts.due).toBeGreaterThan(kills.length);
  });

  it('are posted once, each with its reply, if the history can be read once a minute, fifteen messages at a time', async () => {
    const failpoints: readonly Failpoint[] = ['after send', 'before reconcile', 'after history', 'after reconcile'];
    const kills = [
      ...failpoints.map((failpoint) => ({ kind: 'failpoint', failpoint, nth: 1 }) as const),
      ...duringPosts,
    ];
    const counts = await runTrial(limitedTrialOf({ storeUrl: await newSqlite(), kills, seed }));
    expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
    expect(counts.posted).toBe(counts.due);
  });

  const faultless = { faults: {}, lateMs: 0, random: () => 1 };

  it.each([
    [strategies[1], 'after send', 'duplicated'],
    [strategies[2], 'before send', 'lost'],
    [strategies[3], 'after send', 'duplicated'],
  ] as const)(
    'the trial detects that strategy “%s”, killed %s, leaves digests %s',
    async (strategy, failpoint, wrong) => {
      const kills = [{ kind: 'failpoint', failpoint, nth: 1 }] as const;
      const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), kills, strategy, seed, judge: faultless }));
      expect(counts[wrong].length).toBeGreaterThan(0);
    },
  );
});
