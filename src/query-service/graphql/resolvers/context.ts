/** What every resolver gets: who asks, and where the records are. */
import type { Clock } from '../../../shared/time/clock.ts';
import type { Asker } from '../../fairness/asker.ts';
import type { Caller } from '../../keys/keys.ts';
import type { Records } from '../../records/port.ts';
import type { Details } from './details.ts';

export type ServiceContext = {
  readonly caller: Caller;
  readonly asker: Asker;
  readonly records: Records;
  readonly details: Details;
  readonly clock: Clock;
};
