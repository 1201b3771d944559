/** Compares a failed execution with the last good one: the first difference as text, then step by step. */
import type { ComparedCall, Comparison, DifferenceKind } from '../../insight/executions/comparison.ts';
import type { CallState } from '../../insight/executions/timeline.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, date, paragraph, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { counted } from '../format/number.ts';
import { preciseDuration } from '../format/time.ts';
import { calleeText } from './facts.ts';

export type ComparisonView = {
  /** Null without a good execution, or if its steps are not known. */
  readonly comparison: Comparison | null;
  /** Start of the last good execution, epoch milliseconds; null if there is none, or if that is not known. */
  readonly goodAt: number | null;
  /** False if the good executions could not be read. */
  readonly isGoodKnown: boolean;
  /** Status of the compared execution, as the service spells it. */
  readonly status: string;
};

const callsMax = 20;

export function comparisonMessage({ comparison, goodAt, isGoodKnown, status }: ComparisonView): Message {
  if (goodAt === null) {
    const words = isGoodKnown ? 'no good run before this one is kept' : 'the bot could not read which run that is';
    return message([paragraph(rich`${bold('Compared with the last good run')}: ${trusted(words)}.`)]);
  }
  const heading = rich`${bold('Compared with the good run')} of ${date(goodAt)}`;
  if (comparison === null)
    return message([paragraph(rich`${heading}: the steps to compare were not kept, or could not be read.`)]);
  const { firstDifference, calls, goodCount } = comparison;
  if (firstDifference === null) {
    const against = goodCount > 1 ? [bold('Compared with recent good runs')] : heading;
    const soFar = trusted(status === 'FAILURE' || status === 'SUCCESS' ? '' : 'so far ');
    return message([
      paragraph(rich`${against}: ${soFar}no unusual step, status or error, and no known unusual duration.`),
    ]);
  }
  const { kind, index, compared } = firstDifference;
  // A step that did not run has no number in the timeline.
  const ran = calls.slice(0, index).filter(({ call }) => call !== null).length;
  const number = compared.call === null ? [] : rich`step ${ran + 1}, `;
  const first = rich`First difference: ${number}${callName(compared)} ${differenceWords(compared, kind)}`;
  const others = calls.slice(index + 1).filter(({ differences }) => differences.length > 0);
  const lines = others
    .slice(0, callsMax)
    .map((call) => rich`Then ${callName(call)} ${differenceWords(call, call.differences[0])}`);
  const left = others.length - lines.length;
  const rest = left > 0 ? [rich`and ${trusted(counted(left, 'more difference'))}`] : [];
  const same = ran === 0 ? [] : [rich`${trusted(ran === 1 ? 'Step 1 shows' : `Steps 1 to ${ran} show`)} no difference`];
  return message([bulleted(heading, [first, ...lines, ...rest, ...same])]);
}

function callName({ occurrence, occurrences, ...call }: ComparedCall): Words {
  const which = occurrences > 1 ? rich` (call ${occurrence} of ${occurrences})` : [];
  return rich`${calleeText(call)}${which}`;
}

function differenceWords({ call, good, usual }: ComparedCall, kind: DifferenceKind | undefined): Words {
  switch (kind) {
    case 'missing':
      return rich`did not run; in the good run it did`;
    case 'extra':
      return rich`ran; in the good run it did not`;
    case 'state':
      return rich`${trusted(stateWords[call?.state ?? 'unknown'])}; in the good run it ${trusted(good === null ? 'did not run' : stateWords[good.state])}`;
    case 'error':
      return rich`reported an error that the good run did not have`;
    case 'duration': {
      const took = preciseDuration(call === null ? 0 : (call.durationMs ?? call.endMs - call.startMs));
      const words = call?.durationMs === null ? `has taken ${took} so far` : `took ${took}`;
      const usually = usual && `${preciseDuration(usual.minMs)} to ${preciseDuration(usual.maxMs)}`;
      return rich`${trusted(words)}; good runs take ${trusted(usually ?? 'another time')}`;
    }
    case undefined:
      return rich`differs`;
  }
}

const stateWords: Readonly<Record<CallState, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  completed_with_errors: 'completed with errors',
  running: 'is still running',
  unfinished: 'has no reported end',
  unknown: 'ended differently',
};
