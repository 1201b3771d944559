/** Twenty kills of one import, on each engine. */
import { expect, test } from 'vitest';
import { describeEngines } from '../../support/databases/engines.ts';
import { expectSameAfterKills } from './kills.ts';

describeEngines('an import that is killed twenty times', (newDatabase) => {
  test('ends like one without kills', { timeout: 1_800_000 }, async () => {
    expect(await expectSameAfterKills(newDatabase, 20, 150_000)).toBeGreaterThan(0);
  });
});
