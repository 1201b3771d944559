/** Work that the bot does in slices, done at once. */
import type { Steps } from '../../src/shared/time/steps.ts';

export function finished<Made>(work: Steps<Made>): Made {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
