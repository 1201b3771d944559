/** The timeline of one execution as text: a plan with a card for each step, or a list where there are many steps. */
import type { KnownBlock, TaskCardBlock } from '@slack/types';
import type { CallState, CapabilityCall, Gap, Timeline } from '../../insight/executions/timeline.ts';
import { context } from '../blocks/blocks.ts';
import { type Message, message } from '../blocks/message.ts';
import { plan, planAsList, type Task } from '../blocks/plan.ts';
import { bold, paragraph, plain, rich, several, trusted, type Words } from '../blocks/rich-text.ts';
import { certaintyWords, timeFaultText } from '../charts/timeline-facts.ts';
import { errorText } from '../format/error-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { count, counted } from '../format/number.ts';
import { preciseDuration } from '../format/time.ts';
import { type ExecutionSubject, subjectLine } from '../notices/pick.ts';

export type TimelineView = {
  /** Null if the service did not answer. */
  readonly timeline: Timeline | null;
  readonly subject: ExecutionSubject;
  /** All steps if left out. */
  readonly filter?: TimelineFilter;
  /** Errors that a message above shows whole; a step refers to them. None if left out. */
  readonly shownErrors?: readonly string[];
};

export type TimelineFilter = {
  readonly isWanted: (call: CapabilityCall) => boolean;
  /** Such as `capability “http”`. */
  readonly words: string;
};

/** More cards are too long for a phone; Slack takes 50. */
const cardsMax = 20;
const callsMax = 40;
const errorUnitsMax = 160;
/** Shorter waits between steps are not shown. */
const gapMinMs = 1000;

export function timelineMessage({ timeline, subject, filter, shownErrors = [] }: TimelineView): Message {
  const name = subjectLine('Capability timeline', subject);
  if (timeline === null) return message([paragraph(rich`${name}: the query service did not return it.`)]);
  const { calls, isRunning } = timeline;
  if (calls.length === 0) {
    const words = isRunning ? 'no step so far' : 'no step was recorded, or the steps were not kept';
    return message([paragraph(rich`${name}: ${trusted(words)}.`)]);
  }
  const wanted = calls.flatMap((call, index) => (filter?.isWanted(call) !== false ? [{ call, index }] : []));
  if (filter && wanted.length === 0) return message([paragraph(rich`${name}: ${noStepWords(calls, filter)}`)]);
  const shown = wanted.slice(0, callsMax).map(({ call, index }) => taskOf(timeline, call, index, shownErrors));
  const left = wanted.length - shown.length;
  const steps = plan(summary(timeline, wanted.length), shown);
  return message([
    paragraph(name),
    shown.length > cardsMax ? planAsList(steps) : steps,
    ...(left > 0 ? [context([markup`And ${counted(left, 'more step')}.`])] : []),
    ...(filter ? [] : criticalBlock(timeline)),
  ]);
}

const stepsNamedMax = 12;

function noStepWords(calls: readonly CapabilityCall[], { words }: TimelineFilter): Words {
  const steps = calls.map(({ capability, ...call }) => plain(`${capability} (${callStateLabel(call)})`, 80));
  return rich`no step matches ${plain(words)}; steps: ${several(steps, stepsNamedMax)}.`;
}

/** The title, which is all that a folded plan shows. */
function summary({ calls, totalMs, isRunning, failing }: Timeline, wantedCount: number): string {
  const part = wantedCount === calls.length ? '' : `${count(wantedCount)} of `;
  const culprit = failing === null ? '' : `; the run ${certaintyWords[failing.certainty]} in step ${failing.index + 1}`;
  const took = part === '' ? ', ' : isRunning ? '; the run has taken ' : '; the run took ';
  const end = isRunning ? ' so far' : part === '' ? ' in total' : '';
  return `${part}${counted(calls.length, 'step')}${took}${preciseDuration(totalMs)}${end}${culprit}`;
}

function taskOf(timeline: Timeline, call: CapabilityCall, index: number, shownErrors: readonly string[]): Task {
  const { capability, method, errors, timeFault } = call;
  const culprit = timeline.failing?.index === index ? timeline.failing : null;
  const endFault = timeFault?.time === 'end' ? `, impossible end (${timeFaultText(timeFault)})` : '';
  const mark = culprit === null ? [] : rich` ${bold(`← the run ${certaintyWords[culprit.certainty]} here`)}`;
  return {
    number: index + 1,
    title: method === null ? [capability] : [capability, method],
    status: culprit?.certainty === 'certain' ? 'error' : cardStates[call.state],
    details: rich`${trusted(startWords(call))}, ${stateOf(call)}${trusted(endFault)}${errorOf(errors, shownErrors)}${mark}${waitWords(timeline, index)}`,
  };
}

/** An impossible start has no place on the scale. */
function startWords({ startMs, timeFault }: CapabilityCall): string {
  if (timeFault?.time === 'start') return `impossible start (${timeFaultText(timeFault)})`;
  return `at +${startMs === 0 ? '0 s' : preciseDuration(startMs)}`;
}

/** Slack has four states; the words beside them are more precise. A step without an end is not running any more. */
const cardStates: Readonly<Record<CallState, TaskCardBlock['status']>> = {
  succeeded: 'complete',
  completed_with_errors: 'error',
  failed: 'error',
  running: 'in_progress',
  unfinished: 'pending',
  unknown: 'complete',
};

const stateWords: Readonly<Record<Exclude<CallState, 'unknown'>, string>> = {
  succeeded: 'succeeded',
  completed_with_errors: 'completed with errors',
  failed: 'failed',
  running: 'in progress',
  unfinished: 'no end reported',
};

/** Displayed states of a step; any other status is shown unchanged. */
export const callStateLabels: readonly string[] = Object.values(stateWords);

/** @returns the state as displayed */
export function callStateLabel({ state, status }: Pick<CapabilityCall, 'state' | 'status'>): string {
  return state === 'unknown' ? status : stateWords[state];
}

function stateOf(call: CapabilityCall): Words {
  const { durationMs } = call;
  const word = plain(callStateLabel(call));
  return durationMs === null ? [word] : rich`${word} after ${trusted(preciseDuration(durationMs))}`;
}

function errorOf(errors: CapabilityCall['errors'], shownErrors: readonly string[]): Words {
  const [first] = errors;
  if (first === undefined) return [];
  const isAbove = errors.every(({ error }) => error !== '' && shownErrors.some((shown) => shown.includes(error)));
  const nodes = isAbove ? errors.reduce((sum, { count: each }) => sum + each, 0) : first.count;
  const where = trusted(nodes === 0 ? '' : `, on ${counted(nodes, 'node')}`);
  if (isAbove) return rich`${where}: the ${trusted(errors.length === 1 ? 'error' : 'errors')} above`;
  const more = errors.length > 1 ? rich` (and ${trusted(counted(errors.length - 1, 'other error'))})` : [];
  return rich`${where}: “${errorText(first.error, errorUnitsMax)}”${more}`;
}

/** Shown at the last step that began before the wait, so that steps stay in order of their start. */
function waitWords({ gaps, calls }: Timeline, index: number): Words {
  const startMs = calls[index]?.startMs ?? 0;
  const next = calls[index + 1]?.startMs ?? Number.POSITIVE_INFINITY;
  const gap = gaps.find((each: Gap) => startMs <= each.startMs && each.startMs < next && each.durationMs >= gapMinMs);
  return gap === undefined ? [] : rich`; then ${trusted(preciseDuration(gap.durationMs))} in which no step ran`;
}

/** Shown only if steps overlap: otherwise every step is on the critical path. */
function criticalBlock({ calls }: Timeline): readonly KnownBlock[] {
  const critical = calls.flatMap((call, index) => (call.isOnCriticalPath ? [index + 1] : []));
  if (critical.length === 0 || critical.length === calls.length) return [];
  const named = critical.slice(0, criticalNamedMax);
  const left = critical.length - named.length;
  const all = left > 0 ? `${named.join(', ')} and ${count(left)} more` : listFormat.format(named.map(String));
  return [context([markup`Critical path as the times suggest: ${critical.length === 1 ? 'step' : 'steps'} ${all}.`])];
}

const criticalNamedMax = 12;
/** Such as `1, 3 and 5`. */
const listFormat = new Intl.ListFormat('en-GB');
