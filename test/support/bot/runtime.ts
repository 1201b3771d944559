/** The process of a test, for parts of the bot. */
import { measureNothing } from '../../../src/bot/domain/measure.ts';
import type { Runtime } from '../../../src/bot/domain/runtime.ts';
import type { Logger } from '../../../src/shared/log/logger.ts';
import type { Clock } from '../../../src/shared/time/clock.ts';

export function testRuntime(clock: Clock, log: Logger): Runtime {
  return { clock, log, measure: measureNothing, createReference: () => 'ref-1' };
}
