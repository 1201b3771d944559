/** From one answer to the others about the same workflow, by pressing: the same words for the same answer everywhere. */
import type { ActionsBlock, Button } from '@slack/types';
import { actions } from './blocks.ts';
import { commandButton } from './command-button.ts';

const ways = {
  status: { label: 'Workflow status', takesWindow: true },
  failures: { label: 'All failures', takesWindow: true },
  executions: { label: 'Runs', takesWindow: true },
  deployments: { label: 'Deployments', takesWindow: false },
  activity: { label: 'Activity', takesWindow: true },
  export: { label: 'Export', takesWindow: true },
} as const;

type Subject = {
  /** Null stands for all workflows, of which there is no status, history or file. */
  readonly workflow: { readonly uuid: string | null };
  readonly window: { readonly label: string };
};

/**
 * @param words the commands to lead to, in the order of the buttons; the window goes with them
 * @param first a button before them
 * @returns a row of its own, or nothing where there is no way
 */
export function relatedCommands(
  { workflow: { uuid }, window }: Subject,
  words: readonly (keyof typeof ways)[],
  first: readonly Button[] = [],
): readonly ActionsBlock[] {
  const open = words.filter((word) => uuid !== null || ofAll.has(word));
  const buttons = open.map((word) => {
    const { label, takesWindow } = ways[word];
    return commandButton({
      label,
      line: [word, uuid, takesWindow && window.label].filter(Boolean).join(' '),
      mode: 'open',
    });
  });
  return first.length + buttons.length === 0 ? [] : [actions([...first, ...buttons])];
}

const ofAll: ReadonlySet<string> = new Set(['failures', 'executions', 'activity']);
