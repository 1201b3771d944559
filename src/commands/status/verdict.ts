/** The status card's first sentence: how the workflow is doing, or how it did in a window that is over. */
import type { RichTextElement } from '@slack/types';
import type { Window } from '../../core/window.ts';
import { type Counts, failuresInARow, type Health } from '../../insight/health.ts';
import { duration } from '../../views/format/date.ts';
import { counted } from '../../views/format/number.ts';
import { bold, emoji, ours, plain, rich } from '../../views/kit/rich-text.ts';
import { windowWords } from '../../views/window.ts';
import { deploymentStatusWord } from '../../views/words.ts';

type Run = { readonly status: string; readonly startedAt: string };

type Verdict = {
  readonly workflow: { readonly name: string; readonly status: string };
  readonly health: Health;
  readonly counts: Counts | null;
  /** Newest first; null where the service could not say. */
  readonly failures: readonly Run[] | null;
  readonly recent: readonly Run[] | null;
  readonly window: Window;
  readonly now: number;
};

export function verdict(facts: Verdict): readonly RichTextElement[] {
  const { workflow, health } = facts;
  const words = [facts.window.isMoving ? presentWords(facts) : pastWords(facts), ...failingNow(facts)];
  return rich`${emoji(stateEmoji(facts))} ${bold(workflow.name)} ${silenceWords(health)}${plain(words.join(' '))}`;
}

function silenceWords({ silence }: Health): readonly RichTextElement[] {
  if (silence === null) return [];
  const [gap, usual] = [ours(duration(silence.forMs)), ours(duration(silence.usuallyEveryMs))];
  return rich`has gone silent: no run for ${gap}, where one came every ${usual}. It `;
}

/** Red is for what fails now. */
function stateEmoji({ health: { state, silence, isFailingNow }, window }: Verdict): string {
  if (isFailingNow || (state === 'failing' && window.isMoving)) return 'red_circle';
  if (silence !== null) return 'warning';
  switch (state) {
    case 'failing':
    case 'unstable':
      return 'large_yellow_circle';
    case 'healthy':
      return 'large_green_circle';
    case 'idle':
    case 'never_run':
    case 'inactive':
    case 'unknown':
      return 'white_circle';
  }
}

function presentWords(facts: Verdict): string {
  const { health, counts, window } = facts;
  switch (health.state) {
    case 'failing':
      return `is failing: ${failingSince(facts)}, ${failedWords(counts)} ${windowWords(window)}.`;
    case 'unstable':
      return `${unstableWord(facts)} ${failedWords(counts)} ${windowWords(window)}${lastFailure(facts)}.`;
    case 'healthy':
      return `${health.silence ? 'had' : 'is healthy:'} ${runsWords(counts)}, no failures ${windowWords(window)}.`;
    default:
      return otherWords(facts);
  }
}

/** Without the newest runs nobody knows whether it fails still. */
function unstableWord({ recent }: Verdict): string {
  return recent === null ? 'had' : 'is unstable:';
}

/** What was is told as what was: how the workflow is doing now may be another thing. */
function pastWords(facts: Verdict): string {
  const { health, counts, window } = facts;
  switch (health.state) {
    case 'failing':
      return `succeeded in no run: ${failedWords(counts)} ${windowWords(window)}.`;
    case 'unstable':
      return `had ${failedWords(counts)} ${windowWords(window)}.`;
    case 'healthy':
      return `had ${runsWords(counts)}, no failures ${windowWords(window)}.`;
    default:
      return otherWords(facts);
  }
}

function otherWords({ health: { state }, workflow, window }: Verdict): string {
  if (state === 'idle') return `had no runs ${windowWords(window)}.`;
  if (state === 'never_run') return 'has never run.';
  if (state === 'inactive') return `is not running: ${deploymentStatusWord(workflow.status)}.`;
  return 'cannot be judged: the query service gave no counts.';
}

function failingNow(facts: Verdict): readonly string[] {
  const { health, window } = facts;
  if (!health.isFailingNow || (window.isMoving && health.state === 'failing')) return [];
  return [`It is failing now: ${failingSince(facts)}.`];
}

function runsWords(counts: Counts | null): string {
  return counted(counts?.total ?? 0, 'run');
}

function failedWords(counts: Counts | null): string {
  return `${counted(counts?.failure ?? 0, 'failure')} in ${runsWords(counts)}`;
}

/** Does not claim that failures began where its own knowledge ends. */
function failingSince({ recent, counts, window }: Verdict): string {
  const runs = recent ?? [];
  const inARow = failuresInARow(runs);
  if (inARow < 2) return 'every finished run failed';
  const isAll = runs.some(({ status }) => status === 'SUCCESS') || (window.isMoving && counts?.failure === inARow);
  return `${isAll ? '' : 'at least '}the last ${inARow} runs failed`;
}

/** Tells an outage that is over from one that is not. */
function lastFailure({ failures, now }: Verdict): string {
  const [newest] = failures ?? [];
  return newest === undefined ? '' : `, the last one ${duration(now - Date.parse(newest.startedAt))} ago`;
}
