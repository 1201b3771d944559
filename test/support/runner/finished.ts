/** Runs work that the bot does in slices to its end at once. */
import type { CooperativeTask } from '../../../src/shared/time/cooperative-task.ts';

export function finished<Made>(work: CooperativeTask<Made>): Made {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
