/** When a list of failures is empty: good news, as far as what is known makes it so. */
import type { RichTextElement } from '@slack/types';
import type { Window } from '../../../domain/window.ts';
import { bold, emoji, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { counted } from '../../../views/format/number.ts';
import { windowText } from '../../../views/format/provenance.ts';

type NoFailures = {
  readonly workflow: { readonly name: string | null };
  readonly days: readonly { readonly successCount: number; readonly failureCount: number }[] | null;
  readonly isWhole: boolean;
  readonly window: Window;
};

/** Green only where the whole list and the counts say so. */
export function noFailuresWords({ workflow, days, isWhole, window }: NoFailures): readonly RichTextElement[] {
  const who = workflow.name === null ? bold('All workflows') : bold(workflow.name);
  const when = trusted(windowText(window));
  if (!isWhole) {
    return rich`${emoji('warning')} ${who}: no failure ${when} that could be read, but the list is not whole.`;
  }
  if (days === null) return rich`${emoji('white_check_mark')} ${who}: no failures ${when}.`;
  const failed = sumOf(days, ({ failureCount }) => failureCount);
  if (failed > 0) {
    const found = trusted(counted(failed, 'failure'));
    return rich`${emoji('warning')} ${who}: no failure is listed ${when}, but the counts know of ${found}. Refresh may tell more.`;
  }
  const succeeded = sumOf(days, ({ successCount }) => successCount);
  if (succeeded === 0) return rich`${emoji('white_circle')} ${who}: nothing failed and no run finished ${when}.`;
  const runs = succeeded === 1 ? 'the one finished run' : `all ${counted(succeeded, 'finished run')}`;
  return rich`${emoji('white_check_mark')} ${who}: no failures ${when}, ${trusted(runs)} succeeded.`;
}

type Day = { readonly successCount: number; readonly failureCount: number };

function sumOf(days: readonly Day[], read: (day: Day) => number): number {
  return days.reduce((sum, day) => sum + read(day), 0);
}
