/** Runs suites of the service once more, the same files, with the records on PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import { keepServicesIn } from '../service/service-database.ts';
import { describePostgres } from './engines.ts';
import { takePostgres } from './kept-postgres.ts';

/** @param suites the import of each file by name; importing a file collects its tests */
export function describeOnPostgres(suites: Readonly<Record<string, () => Promise<unknown>>>): void {
  describePostgres('with the records on PostgreSQL', () => {
    const taken: (() => Promise<void>)[] = [];
    beforeAll(() =>
      keepServicesIn(async () => {
        const { url, giveBack } = await takePostgres();
        taken.push(giveBack);
        return url;
      }),
    );
    afterAll(async () => {
      for (const giveBack of taken) await giveBack();
    });
    for (const [name, collect] of Object.entries(suites)) describe(name, async () => void (await collect()));
  });
}
