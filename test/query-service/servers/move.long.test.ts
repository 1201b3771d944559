/** Moves that are killed at every failpoint and at random moments while the organization is used, or whose new server crashes. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { moveFailpoints } from '../../../src/query-service/records/servers/move.ts';
import { createRandom } from '../../../src/query-service/sample/random.ts';
import { describePostgres } from '../../support/engines.ts';
import { startOwnPostgres } from '../../support/own-postgres.ts';
import { seed } from '../../support/seed.ts';
import { makeServers } from '../../support/servers.ts';
import { startTestService } from '../../support/service.ts';
import { exportOf } from '../../support/transfer.ts';
import { fill, isEmptyOn, leftovers, moveUntil, rowsOn, startLoad } from './moves.ts';

const movesAtRandom = 10;
const killsMax = 6;
const afterMsMax = 6_000;
const crashesMax = 3;
const random = createRandom(seed);

describePostgres('an organization whose moves are killed', () => {
  it('at every failpoint and at random moments is on one server in the end, with every row once', async () => {
    const servers = await makeServers();
    const store = await fill(servers, 500);
    const service = await startTestService({ databaseUrl: servers.main, servers: servers.servers, hasRecords: false });
    const load = startLoad(store, service, 500);
    const ends = [
      { to: 'b', oldUrl: servers.main },
      { to: 'main', oldUrl: servers.b },
    ] as const;
    for (const failpoint of moveFailpoints) {
      expect([failpoint, await moveUntil(servers, 'b', failpoint)]).toEqual([failpoint, false]);
    }
    expect(await moveUntil(servers, 'b', undefined)).toBe(true);
    for (let count = 1; count <= movesAtRandom; count += 1) {
      const { to, oldUrl } = ends[count % 2 === 1 ? 1 : 0];
      let hasEnded = false;
      for (let kills = 0; kills < killsMax && !hasEnded; kills += 1) {
        hasEnded = await moveUntil(servers, to, random.between(0, afterMsMax));
      }
      if (!hasEnded) await moveUntil(servers, to, undefined);
      expect([await isEmptyOn(oldUrl), await leftovers(servers)]).toEqual([true, 0]);
    }
    const { written } = await load.stop();
    expect(await rowsOn(servers.b)).toMatchObject({ execution: written, execution_detail: written, api_key: 1 });
    await service.close();
  }, 900_000);

  it('by crashes of the new server at random moments has every row once in the end', async () => {
    const own = await startOwnPostgres();
    onTestFinished(own.close);
    const servers = await makeServers(own.url);
    const store = await fill(servers, 2_000);
    const before = await exportOf(store);
    for (const to of ['b', 'main', 'b', 'main'] as const) {
      for (let crashes = 0; crashes < crashesMax; crashes += 1) {
        const moving = moveUntil(servers, to, undefined).catch(() => false);
        await wait(random.between(0, afterMsMax));
        await own.crash();
        await moving;
      }
      // The first attempt may meet a server that is starting.
      await expect.poll(() => moveUntil(servers, to, undefined).catch(String), { timeout: 60_000 }).toBe(true);
      await expect.poll(() => exportOf(store).catch(String)).toBe(before);
      expect([await isEmptyOn(to === 'b' ? servers.main : servers.b), await leftovers(servers)]).toEqual([true, 0]);
    }
  }, 600_000);
});
