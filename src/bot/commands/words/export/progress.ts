/** What an export says on its way, and when it was cancelled there. */
import type { Window } from '../../../domain/window.ts';
import { actions } from '../../../views/blocks/blocks.ts';
import { commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, emoji, paragraph, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { counted, percent } from '../../../views/format/number.ts';

type Under = {
  readonly workflow: { readonly uuid: string; readonly name: string };
  readonly format: 'csv' | 'json';
  readonly window: Window;
  readonly rowCount: number;
};

type SoFar = Under & {
  /** Start of the oldest row so far, epoch milliseconds. */
  readonly oldest: number;
  readonly cancelLine: string;
};

/** It reads from the newest run back to the oldest, so the share of the window is how far it is. */
export function exportProgressMessage({ workflow, window, rowCount, oldest, cancelLine }: SoFar): Message {
  const { from, to } = window;
  const share = to > from ? `, ${percent(Math.min(to - from, Math.max(0, to - oldest)), to - from)} of the window` : '';
  return message([
    paragraph(
      rich`${emoji('hourglass_flowing_sand')} Exporting ${bold(workflow.name)}: ${trusted(`${counted(rowCount, 'run')} so far${share}`)}…`,
    ),
    actions([commandButton({ label: 'Cancel', line: cancelLine, mode: 'replace' })]),
  ]);
}

export function exportCancelledMessage({ workflow, window, rowCount, format }: Under): Message {
  const line = `export ${workflow.uuid} ${window.label} --format ${format}`;
  return message([
    paragraph(
      rich`${emoji('no_entry_sign')} Export of ${bold(workflow.name)} cancelled: ${trusted(counted(rowCount, 'run'))} had been read, and no file was made.`,
    ),
    actions([commandButton({ label: 'Export again', line, mode: 'open' })]),
  ]);
}
