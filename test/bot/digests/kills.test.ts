/** Digests of killed processes: due digests are compared with visible messages. All failpoints: `npm run test:long`; a thousand kills: `npm run bench -- delivery`. */
import { describe, expect, it } from 'vitest';
import { atRandom, duringPosts, everyStep, randomOf, trialOf } from '../../support/delivery/presets.ts';
import { strategies } from '../../support/delivery/strategies.ts';
import { runTrial } from '../../support/delivery/trial.ts';
import { newSqlite } from '../../support/engines.ts';

const seed = 20_261_122;
const timeout = 240_000;

describe('digests of a bot that is killed', { timeout }, () => {
  it('process/kill9-loop: at every second failpoint, during posts and at random: posted once, each with its reply', async () => {
    const blows = [
      ...everyStep().filter((_, index) => index % 2 === 0),
      ...duringPosts,
      ...atRandom(5, randomOf(seed)),
    ];
    const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), blows, seed }));
    expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
    expect(counts.posted).toBe(counts.due);
    expect(counts.due).toBeGreaterThan(blows.length);
  });

  const faultless = { faults: {}, lateMs: 0, random: () => 1 };

  it.each([
    [strategies[1], 'after send', 'duplicated'],
    [strategies[2], 'before send', 'lost'],
    [strategies[3], 'after send', 'duplicated'],
  ] as const)('would not come once with %s, ended %s: the test sees what was %s', async (strategy, step, wrong) => {
    const blows = [{ kind: 'step', step, nth: 1 }] as const;
    const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), blows, strategy, seed, judge: faultless }));
    expect(counts[wrong].length).toBeGreaterThan(0);
  });
});
