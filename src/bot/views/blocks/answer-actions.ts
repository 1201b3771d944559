/** The row under an answer that stands for a command line: ask again, and show the others. */
import type { ActionsBlock } from '@slack/types';
import { actions } from './blocks.ts';
import { commandButton } from './command-button.ts';

/** @param line the command line that gives this answer again @param others buttons before the two */
export function answerActions(line: string, others: readonly ActionsBlock['elements'][number][] = []): ActionsBlock {
  return actions([
    ...others,
    commandButton({
      label: 'Refresh',
      line,
      mode: 'refresh',
      accessibilityLabel: 'Refresh: ask the query service again',
    }),
    commandButton({ label: 'Share in channel', line, mode: 'share' }),
  ]);
}
