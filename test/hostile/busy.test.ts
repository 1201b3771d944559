/** A service that answers 429 to everything, from the start or in the middle: each command at the start and at one later moment; every-line.long.test.ts has each at each. */
import { describeBusy } from '../support/hostile/busy.ts';

const laterCounts = 5;

describeBusy((line, count) => count === 0 || 1 + (line % laterCounts) === count, [0, 3, 10, 30]);
