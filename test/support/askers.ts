/** What the requests of a service share, for tests that make an asker of their own. */
import { createFairQueue } from '../../src/query-service/fairness/fair-queue.ts';
import { createTurns } from '../../src/query-service/fairness/turns.ts';

export function sharedBetweenKeys() {
  return { turns: createTurns(), longTexts: createFairQueue({ slots: 1, perKey: 1, waitingMax: 10 }) };
}
