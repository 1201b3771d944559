/** The capability timeline of one execution as text: every step with its start, duration and state in words. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Gap, Step, StepState, Timeline } from '../../insight/timeline.ts';
import { say } from '../format/mrkdwn.ts';
import { count, counted } from '../format/number.ts';
import { span } from '../format/span.ts';
import { context } from '../kit/blocks.ts';
import { type Message, message } from '../kit/message.ts';
import { bold, code, emoji, numbered, ours, paragraph, plain, rich } from '../kit/rich-text.ts';
import { errorWords } from './error-words.ts';

export type TimelineView = {
  readonly workflowName: string;
  /** Null where the service could not say. */
  readonly timeline: Timeline | null;
};

const stepsMax = 40;
const errorUnitsMax = 120;
/** A shorter wait between steps is not worth a line. */
const gapMinMs = 1000;

const states: Readonly<Record<StepState, { readonly word: string; readonly emoji: string }>> = {
  succeeded: { word: 'succeeded', emoji: 'white_check_mark' },
  completed_with_errors: { word: 'completed with errors', emoji: 'warning' },
  failed: { word: 'failed', emoji: 'x' },
  running: { word: 'running', emoji: 'hourglass_flowing_sand' },
  unfinished: { word: 'no end reported', emoji: 'grey_question' },
  unknown: { word: '', emoji: 'grey_question' },
};

export function timelineMessage({ workflowName, timeline }: TimelineView): Message {
  if (timeline === null) return message([paragraph(rich`The query service could not give the capability timeline.`)]);
  const { steps, totalMs, isRunning } = timeline;
  if (steps.length === 0) return message([paragraph(rich`No capability was used in this run.`)]);
  const lasting = isRunning ? 'so far' : 'in all';
  const heading = rich`${bold('Capability timeline')} of ${plain(workflowName)}: ${ours(counted(steps.length, 'step'))}, ${ours(span(totalMs))} ${ours(lasting)}`;
  const left = steps.length - stepsMax;
  const rest = left > 0 ? [context([say`And ${counted(left, 'more step')}.`])] : [];
  const lines = steps.slice(0, stepsMax).map((step, index) => stepLine(timeline, step, index));
  return message([numbered(heading, lines), ...rest, ...criticalBlock(timeline)]);
}

function stepLine(timeline: Timeline, step: Step, index: number): readonly RichTextElement[] {
  const { failing } = timeline;
  const { capability, method, state, startMs, durationMs, errors } = step;
  const shown = states[state];
  const word = state === 'unknown' ? plain(step.status) : ours(shown.word);
  const lasted = durationMs === null ? [] : rich`, ${ours(span(durationMs))}`;
  const call = method === null ? [] : rich` ${code(method)}`;
  const culprit = failing?.index === index ? rich` ${bold(culpritWords[failing.certainty])}` : [];
  const wait = waitWords(timeline, index);
  return rich`${emoji(shown.emoji)} +${ours(startMs === 0 ? '0 s' : span(startMs))} ${code(capability)}${call} ${word}${lasted}${errorOf(errors)}${culprit}${wait}`;
}

function errorOf(errors: Step['errors']): readonly RichTextElement[] {
  const [first] = errors;
  if (first === undefined) return [];
  const more = errors.length > 1 ? rich` (and ${ours(counted(errors.length - 1, 'other error'))})` : [];
  return rich`, on ${ours(counted(first.count, 'node'))}: ${errorWords(first.error, errorUnitsMax)}${more}`;
}

const culpritWords = {
  certain: '← this failed the run',
  likely: '← this most likely failed the run',
  possible: '← this may have failed the run',
} as const;

/** Told at the last step that began before it, so that the steps stay in the order of their beginning. */
function waitWords({ gaps, steps }: Timeline, index: number): readonly RichTextElement[] {
  const startMs = steps[index]?.startMs ?? 0;
  const next = steps[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
  const gap = gaps.find((each: Gap) => startMs <= each.startMs && each.startMs < next && each.durationMs >= gapMinMs);
  return gap === undefined ? [] : rich`; then ${ours(span(gap.durationMs))} in which no step ran`;
}

/** Said only where steps overlap: else every step is on it. */
function criticalBlock({ steps }: Timeline): readonly KnownBlock[] {
  const critical = steps.flatMap((step, index) => (step.isOnCriticalPath ? [index + 1] : []));
  if (critical.length === 0 || critical.length === steps.length) return [];
  const named = critical.slice(0, criticalNamedMax);
  const left = critical.length - named.length;
  const all = left > 0 ? `${named.join(', ')} and ${count(left)} more` : listWords(named);
  return [
    context([
      say`The end of the run waited for ${critical.length === 1 ? 'step' : 'steps'} ${all}; the others ran beside them.`,
    ]),
  ];
}

const criticalNamedMax = 12;

/** @returns such as `1, 3 and 5` */
function listWords(numbers: readonly number[]): string {
  return [numbers.slice(0, -1).join(', '), String(numbers.at(-1))].filter(Boolean).join(' and ');
}
