/** The thread message about silent workflows: for each the last run, the schedule, and the evidence for it. */
import type { SilentWorkflow } from '../../insight/health/silence.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, date, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { counted } from '../format/number.ts';
import { silenceWords } from '../format/silence.ts';
import { nameUnitsMax } from './facts.ts';

const listedMax = 10;

/** @param silent at least one */
export function digestSilentMessage(silent: readonly SilentWorkflow[]): Message {
  const lines = silent.slice(0, listedMax).map((each) => {
    const last = rich`${bold(each.name, nameUnitsMax)}: last run ${date(each.lastAt)}`;
    return rich`${last}; ${silenceWords(each)}.`;
  });
  const left = silent.length - lines.length;
  return message([
    bulleted([bold('Why these workflows count as silent')], lines),
    ...(left > 0 ? [paragraph(rich`and ${trusted(counted(left, 'more workflow'))}`)] : []),
  ]);
}
