/** The messages in the thread of a digest: one about each cause, and one about the silent workflows. */
import type { SilentWorkflow } from '../../insight/health/silence.ts';
import { actions } from '../blocks/blocks.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, date, paragraph, plain, rich, several, trusted, type Words } from '../blocks/rich-text.ts';
import { failingCallText } from '../execution/facts.ts';
import { investigateButtons } from '../execution/investigate-buttons.ts';
import { ageWords } from '../format/cause-age.ts';
import { causeText, errorText, otherErrorText, rootCauseLines, rootCauseWords } from '../format/error-text.ts';
import { silenceAdvice, silenceWords } from '../format/health.ts';
import { count, counted } from '../format/number.ts';
import { faultLabel } from '../format/status-labels.ts';
import { duration } from '../format/time.ts';
import { nameUnitsMax, type ShownCause } from './facts.ts';

const titleUnitsMax = 160;
const errorUnitsMax = 500;
const rootUnitsMax = 240;
const namesMax = 5;

export function digestCauseMessage(shown: ShownCause): Message {
  const { cause, sample } = shown;
  const title = causeText(sample.errors, cause.title, titleUnitsMax);
  const facts = [
    ...rootCauseLines(shown),
    ...timesLine(shown),
    workflowsLine(shown),
    ...incidentLine(shown),
    ...callLine(shown),
  ];
  const root = shown.rootCause === null ? [] : rich`, ${rootCauseWords(shown.rootCause, rootUnitsMax)}`;
  return message([
    paragraph(
      rich`${bold(title.text, titleUnitsMax)}\n${ageWords(shown, shown.first)}, ${trusted(faultLabel(cause.classifiedStatus) ?? 'fault not classified')}${root}`,
    ),
    bulleted(rich`${sampleWords(shown)}`, facts),
    actions([...investigateButtons({ uuid: sample.uuid, subject: title.text, isPrimary: true })]),
  ]);
}

function sampleWords({ sample, cause, rootCause }: ShownCause): Words {
  const [first] = sample.errors;
  if (first === undefined) return rich`The platform kept no error text.`;
  const other = cause.otherError === null || rootCause !== null ? [] : rich`\n${otherErrorText(cause.otherError)}`;
  const nodes = first.count > 0 ? rich`, reported by ${trusted(counted(first.count, 'node'))}` : [];
  return rich`Newest (${date(sample.startedAt)}, ${plain(sample.workflowName, nameUnitsMax)}${nodes}): “${errorText(first.error, errorUnitsMax)}”${other}`;
}

function timesLine({ count: alike, first, last }: ShownCause): readonly Words[] {
  if (alike === 1) return [rich`Once: ${date(last)}`];
  return [rich`${trusted(count(alike))} times in this digest, from ${date(first)} to ${date(last)}`];
}

function workflowsLine({ workflows }: ShownCause): Words {
  const most = [...workflows].sort(([, one], [, other]) => other.count - one.count);
  const names = most.map(([name, tallied]) =>
    plain(most.length === 1 ? name : `${name} (${count(tallied.count)})`, nameUnitsMax + 12),
  );
  return rich`In ${several(names, namesMax)}`;
}

function incidentLine({ incident }: ShownCause): readonly Words[] {
  if (incident === null) return [];
  const { workflows, first, withinMs } = incident;
  return [
    rich`One platform incident: ${trusted(`${counted(workflows.length, 'workflow')} began to fail within ${duration(withinMs)}`)}, from ${date(first)}; chance alone does this in at most 1 of 100 digests`,
  ];
}

/** Names the failing call of the newest failure only: the others may have failed elsewhere. */
function callLine({ failing, count: alike }: ShownCause): readonly Words[] {
  if (failing === null) return [];
  return [alike === 1 ? failingCallText(failing) : rich`${failingCallText(failing)} (in the newest failure)`];
}

const listedMax = 10;

/** @param silent at least one */
export function digestSilentMessage(silent: readonly SilentWorkflow[]): Message {
  const lines = silent.slice(0, listedMax).map((each) => {
    const last = rich`${bold(each.name, nameUnitsMax)}: last run ${date(each.lastAt)}`;
    return rich`${last}; ${silenceWords(each)}.`;
  });
  const left = silent.length - lines.length;
  return message([
    bulleted([bold(`Why ${silent.length === 1 ? 'this workflow counts' : 'these workflows count'} as silent`)], lines),
    ...(left > 0 ? [paragraph(rich`And ${trusted(counted(left, 'more workflow'))}.`)] : []),
    paragraph(rich`${bold('What to try:')} ${trusted(silenceAdvice)}`),
  ]);
}
