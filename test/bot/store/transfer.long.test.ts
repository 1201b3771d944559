/** Every backup that is refused, on each engine. */
import { it } from 'vitest';
import { describeEngines } from '../../support/databases/engines.ts';
import { expectRefused, spoilt } from './backups.ts';

describeEngines('a backup', (newDatabase) => {
  it.each(spoilt)('that %s is refused, and the store stays empty', (_, spoil, problem) =>
    expectRefused(newDatabase, spoil, problem),
  );
});
