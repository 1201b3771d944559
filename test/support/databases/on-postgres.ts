/** Runs suites of the service once more, the same files, with the records on PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest';
import { keepServicesIn } from '../service/service-database.ts';
import { describePostgres, makePostgres } from './engines.ts';

/** @param suites the import of each file by name; importing a file collects its tests */
export function describeOnPostgres(suites: Readonly<Record<string, () => Promise<unknown>>>): void {
  describePostgres('with the records on PostgreSQL', () => {
    const drops: (() => Promise<void>)[] = [];
    beforeAll(() =>
      keepServicesIn(async () => {
        const { url, drop } = await makePostgres();
        drops.push(drop);
        return url;
      }),
    );
    afterAll(async () => {
      for (const drop of drops) await drop();
    });
    for (const [name, collect] of Object.entries(suites)) describe(name, async () => void (await collect()));
  });
}
