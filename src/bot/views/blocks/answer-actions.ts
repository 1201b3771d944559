/** Buttons under an answer: refresh and share, other pages, related commands, links and the connect form. */

import type { ActionsBlock, Button } from '@slack/types';
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';
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

type Pages = {
  /** From 1. */
  readonly page: number;
  readonly hasMore: boolean;
  /** Beyond the end of the list there is nothing to go back to but the first page. */
  readonly isEmpty: boolean;
  /** The command line for a page, with every filter kept. */
  readonly lineFor: (page: number) => string;
};

export function pageActions({ page, hasMore, isEmpty, lineFor }: Pages): readonly Button[] {
  const previous = isEmpty ? 1 : page - 1;
  return [
    ...(page > 1 ? [commandButton({ label: `◀ Page ${previous}`, line: lineFor(previous), mode: 'replace' })] : []),
    ...(hasMore ? [commandButton({ label: `Page ${page + 1} ▶`, line: lineFor(page + 1), mode: 'replace' })] : []),
  ];
}

const ways = {
  status: { label: 'Workflow status', takesWindow: true },
  failures: { label: 'All failures', takesWindow: true },
  executions: { label: 'Runs', takesWindow: true },
  deployments: { label: 'Deployments', takesWindow: false },
  activity: { label: 'Activity', takesWindow: true },
  export: { label: 'Export', takesWindow: true },
} as const;

type Subject = {
  /** Null means all workflows, of which there is no status, history or file. */
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

/** @param url http or https @returns none where there is no address, or it is longer than Slack carries */
export function linkButton(label: string, url: string | undefined): readonly Button[] {
  if (url === undefined || url.length > limits.button.urlUnitsMax) return [];
  const text = outsideLine(label, limits.button.textUnitsMax);
  return [{ type: 'button', action_id: `link:${text}`, text: { type: 'plain_text', text, emoji: false }, url }];
}

/** Opens the form in which an admin gives a key. */
export function connectButton() {
  return commandButton({ label: 'Connect', line: 'connect', mode: 'open', style: 'primary' });
}
