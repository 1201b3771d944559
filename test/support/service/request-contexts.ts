/** Shared limits for tests that create a request context. */

import { createEventLoopScheduler } from '../../../src/query-service/limits/event-loop-scheduler.ts';
import { createFairQueue } from '../../../src/query-service/limits/fair-queue.ts';

export function sharedBetweenRequests() {
  return { scheduler: createEventLoopScheduler(), longTexts: createFairQueue({ slots: 1, perKey: 1, waitingMax: 10 }) };
}
