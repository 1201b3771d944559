/** Digests of killed processes: due digests are compared with visible messages. The other failpoints and strategies: `npm run test:long`; a thousand kills: `npm run bench -- delivery`. */
import { expect, it } from 'vitest';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import { newSqlite } from '../../support/databases/engines.ts';
import { trialOf, withoutReplies } from '../../support/delivery/presets.ts';
import { runTrial } from '../../support/delivery/trial.ts';

/** test/hostile/process.test.ts has those before a send. */
const failpoints: readonly Failpoint[] = ['after send', 'after history'];

it('process/kill9-loop: digests of a bot that is killed are posted once, each with its reply', async () => {
  const kills = failpoints.map((failpoint) => ({ kind: 'failpoint', failpoint, nth: 1 }) as const);
  const counts = await runTrial(trialOf({ storeUrl: await newSqlite(), kills, seed: 20_261_122 }));
  expect(counts).toMatchObject({ lost: [], duplicated: [], dead: 0, uncertain: 0 });
  expect(counts.posted).toBe(counts.due);
  expect(counts.due).toBeGreaterThan(kills.length);
});

it('digests of a bot that is killed have no reply twice and none lost where no bot may read the replies', {
  timeout: 240_000,
}, async () => {
  const kills = [{ kind: 'post', moment: 'accepted', nth: 2 } as const];
  const trial = withoutReplies({ storeUrl: await newSqlite(), kills, seed: 20_261_122 });
  // A reply that Slack has taken and does not show is reported to the owner as uncertain.
  expect(await runTrial(trial)).toMatchObject({ lost: [], duplicated: [], dead: 0 });
});
