/** Every change of every stored secret, on each engine. */
import { it } from 'vitest';
import { describeStores } from '../../../support/bot/store.ts';
import { everyChange, expectReportedOnce } from './unreadable.ts';

describeStores('a stored secret', (newDatabase) => {
  it.each(everyChange)('%s is reported once, to the workspace whose row it is', (_, at, name) =>
    expectReportedOnce(newDatabase, at, name),
  );
});
