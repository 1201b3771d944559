/** Services of the process that every part of the bot uses. */
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Measure } from './measure.ts';

export interface Runtime {
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure: Measure;
  /** Makes a short id that links an error message or an audit entry to the log. */
  readonly createReference: () => string;
}
