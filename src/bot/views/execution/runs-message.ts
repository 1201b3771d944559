/** The frame of an answer about the runs of one workflow, or of all, in a window. */
import type { ActionsBlock, RichTextElement } from '@slack/types';
import type { MessageBlock } from '../../../shared/block-kit/data-visualization.ts';
import type { Provenance } from '../../domain/provenance.ts';
import type { Window } from '../../domain/window.ts';
import type { NamedHealth } from '../../insight/health/health.ts';
import { context } from '../blocks/blocks.ts';
import { answerActions, commandButton, type RelatedCommand, relatedCommands } from '../blocks/command-button.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, paragraph, rich, type Words } from '../blocks/rich-text.ts';
import { nowLines } from '../format/health.ts';
import type { Markup } from '../format/mrkdwn.ts';
import { sourceLines, spanText, staleLine, unreadWindow, windowLine } from '../format/provenance.ts';

export type RunsScope = {
  /** Null means all workflows. */
  readonly workflow: { readonly uuid: string; readonly name: string } | null;
  /** How it is doing now, or those of all that the answer is about; none if it is not known. */
  readonly healths: readonly NamedHealth[];
  /** Another than the window of the answer, if it could not be read. */
  readonly asked: Window;
  readonly window: Window;
  readonly provenance: Provenance;
  /** Epoch milliseconds. */
  readonly now: number;
};

export type RunsParts = {
  /** The numbers, after what is urgent now. */
  readonly head: Words;
  readonly blocks: readonly MessageBlock[];
  /** Small print after the source. */
  readonly notes: readonly Markup[];
  readonly related: readonly RelatedCommand[];
  readonly actions: ActionsBlock;
};

export function runsMessage(scope: RunsScope, { head, blocks, notes, related, actions }: RunsParts): Message {
  const { workflow, healths, asked, window, provenance, now } = scope;
  return message([
    ...staleLine(provenance, now),
    paragraph(rich`${nowLines(healths, workflow !== null, now)}${head}${unreadWindow(asked, window)}`),
    ...blocks,
    context([windowLine(scope), ...sourceLines(provenance, now), ...notes]),
    ...relatedCommands({ workflow, window: asked }, related),
    actions,
  ]);
}

/** @returns the line of a command in the same scope, or in another window */
export function runsLine(word: string, { workflow, asked }: RunsScope, label = asked.label): string {
  return [word, workflow?.uuid, label].filter(Boolean).join(' ');
}

/** The buttons of an answer, with one that shows it for another window. */
export function windowActions(word: string, scope: RunsScope, other: string): ActionsBlock {
  return answerActions(runsLine(word, scope), [
    commandButton({ label: `Last ${spanText(other)}`, line: runsLine(word, scope, other), mode: 'replace' }),
  ]);
}

/** At the beginning of a sentence. */
export function nameOrAll({ workflow }: RunsScope): RichTextElement {
  return bold(workflow?.name ?? 'All workflows');
}
