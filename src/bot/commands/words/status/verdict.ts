/** The first sentence of the status card: the health now, or the result of a past window. */
import type { RichTextElement } from '@slack/types';
import type { Window } from '../../../domain/window.ts';
import { type Counts, failuresInARow, type Health } from '../../../insight/health/health.ts';
import { trendOf } from '../../../insight/health/trend.ts';
import { bold, emoji, plain, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { windowText } from '../../../views/format/provenance.ts';
import { deploymentStatusLabel } from '../../../views/format/status-labels.ts';
import { duration } from '../../../views/format/time.ts';

type Run = { readonly status: string; readonly startedAt: string };

type Verdict = {
  readonly workflow: { readonly name: string; readonly status: string };
  readonly health: Health;
  readonly counts: Counts | null;
  readonly countsBefore: Counts | null;
  /** Newest first; null if the service could not say. */
  readonly failures: readonly Run[] | null;
  readonly newestExecutions: readonly Run[] | null;
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
  const [gap, usual] = [trusted(duration(silence.forMs)), trusted(duration(silence.usuallyEveryMs))];
  return rich`has gone silent: no run for ${gap}, where one came every ${usual}. It `;
}

/** Red only if it fails now. */
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
  switch (facts.health.state) {
    case 'failing':
      return `is failing: ${[...inARowWords(facts), trendWords(facts)].join(', ')}.`;
    case 'unstable':
      return `${unstableWord(facts)} ${trendWords(facts)}.${lastFailure(facts)}`;
    case 'healthy':
      return `${facts.health.silence ? 'had' : 'is healthy:'} ${trendWords(facts)}.`;
    default:
      return otherWords(facts);
  }
}

/** Without the newest runs its current state is unknown. */
function unstableWord({ newestExecutions }: Verdict): string {
  return newestExecutions === null ? 'had' : 'is unstable:';
}

/** Past tense for a past window: the current state may differ. */
function pastWords(facts: Verdict): string {
  switch (facts.health.state) {
    case 'failing':
      return `succeeded in no run: ${trendWords(facts)}.`;
    case 'unstable':
    case 'healthy':
      return `had ${trendWords(facts)}.`;
    default:
      return otherWords(facts);
  }
}

/** Compares this window with the previous one. */
function trendWords({ counts, countsBefore, window }: Verdict): string {
  return trendOf(counts ?? noRuns, countsBefore, windowText(window)).words;
}

const noRuns: Counts = { total: 0, success: 0, failure: 0 };

function otherWords(facts: Verdict): string {
  const { health, workflow } = facts;
  if (health.state === 'idle') return `had ${trendWords(facts)}.`;
  if (health.state === 'never_run') return 'has never run.';
  if (health.state === 'inactive') return `is not running: ${deploymentStatusLabel(workflow.status)}.`;
  return 'cannot be judged: the query service gave no counts.';
}

function failingNow(facts: Verdict): readonly string[] {
  const { health, window } = facts;
  if (!health.isFailingNow || (window.isMoving && health.state === 'failing')) return [];
  return [`It is failing now: ${inARowWords(facts).join()}.`];
}

/** Says `at least` if older runs are unknown. Needs two failures. */
function inARowWords({ newestExecutions, counts, window }: Verdict): readonly string[] {
  const runs = newestExecutions ?? [];
  const inARow = failuresInARow(runs);
  if (inARow < 2) return [];
  const isAll = runs.some(({ status }) => status === 'SUCCESS') || (window.isMoving && counts?.failure === inARow);
  return [`${isAll ? '' : 'at least '}the last ${inARow} runs failed`];
}

/** Shows whether an outage is over. */
function lastFailure({ failures, now }: Verdict): string {
  const [newest] = failures ?? [];
  return newest === undefined ? '' : ` The last failure was ${duration(now - Date.parse(newest.startedAt))} ago.`;
}
