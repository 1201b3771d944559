/** Words for a silence: the gap, the schedule that it breaks, and the evidence for it. */
import type { RichTextElement } from '@slack/types';
import type { Schedule } from '../../insight/health/schedule.ts';
import { falseRateMax, type Silence } from '../../insight/health/silence.ts';
import { date, rich, trusted } from '../blocks/rich-text.ts';
import { count, counted } from './number.ts';
import { duration } from './time.ts';

/** @returns such as `no run for 6 h, usually one every 15 min; expected by 10:20 (schedule learned from 60 runs, …)` */
export function silenceWords(silence: Silence): readonly RichTextElement[] {
  const { forMs, schedule, expectedBy } = silence;
  const gap = trusted(`${duration(forMs)}, ${usualWords(schedule)}`);
  return rich`no run for ${gap}; expected by ${date(expectedBy)} (${trusted(evidenceOf(silence))})`;
}

/** Follows `What to try:`. */
export const silenceAdvice =
  'see on the platform whether its trigger still fires, and whether it was paused or deployed after its last run.';

function usualWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'regular':
      return `usually one every ${duration(schedule.everyMs)}`;
    case 'repeating':
      return `usually at the same times each ${schedule.periodMs > 86_400_000 ? 'week' : 'day'}`;
    case 'irregular':
      return `on average one every ${duration(schedule.everyMs)}`;
  }
}

/** @returns such as `schedule learned from 60 runs, tolerance 5 min; it ran around that time on 4 of 4 earlier days` */
function evidenceOf({ schedule, ranBefore, compared }: Silence): string {
  const ran = `it ran around that time on ${count(ranBefore)} of ${counted(compared, 'earlier day')}`;
  return `schedule learned from ${count(schedule.runs)} runs, ${graceWords(schedule)}; ${ran}`;
}

function graceWords(schedule: Schedule): string {
  if (schedule.kind !== 'irregular') return `tolerance ${duration(schedule.graceMs)}`;
  const { longestMs, limitMs } = schedule;
  return `longest gap ${duration(longestMs)}; chance explains a gap over ${duration(limitMs)} in at most ${falseRateMax * 100} % of checks`;
}
