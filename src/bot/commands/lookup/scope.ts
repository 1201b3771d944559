/** The workflow that a command is about, or all of them, and the window: both read from one text. */
import { AppError } from '../../../shared/errors.ts';
import { resolveWindow, type Window, windowHint } from '../../domain/window.ts';
import type { WindowExpression } from '../../domain/window-words.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Message } from '../../views/blocks/message.ts';
import {
  confirmWorkflowMessage,
  noWorkflowMessage,
  pickWorkflowMessage,
  type TakenFor,
  unreadWords,
} from '../../views/notices/pick-workflow.ts';
import { whichWorkflow } from '../framework/arguments.ts';
import type { CommandContext } from '../framework/command.ts';
import { type FoundWorkflow, findWorkflow, workflowNameOf } from './find-workflow.ts';
import { readBeside, readTyped } from './typed-words.ts';

/** No workflow or several match: the message lets the person choose. */
type WorkflowChoice = { readonly kind: 'choose'; readonly message: Message };

export type ChosenWorkflow = {
  readonly kind: 'one';
  readonly uuid: string;
  /** Null if only the uuid is known. */
  readonly name: string | null;
  readonly takenFor: TakenFor | null;
  /** The window that was typed beside the name. */
  readonly window: WindowExpression | null;
  /** The words that are no part of the name. */
  readonly words: readonly string[];
};

/**
 * Makes the command line for each workflow the person can choose; a window follows it.
 * @param words that were typed and are no part of a name that exists
 */
type LineFor = (uuid: string, words: readonly string[]) => string;

type TypedWorkflow = {
  readonly typed: string;
  readonly ask: QueryClient;
  readonly lineFor: LineFor;
  /** True if a window may stand beside the name. */
  readonly takesWindow: boolean;
};

export async function chooseWorkflow({
  typed,
  ask,
  lineFor: lineOf,
  takesWindow,
}: TypedWorkflow): Promise<ChosenWorkflow | WorkflowChoice> {
  const found = await findWorkflow(typed, ask);
  const { text } = found;
  const words = isExactly(found) ? found.beside : typed.split(' ');
  const { window, unread } = readBeside(found.beside, takesWindow);
  const lineFor = (uuid: string) => [lineOf(uuid, words), window?.label].filter(Boolean).join(' ');
  const notes = unread === '' ? {} : { note: unreadWords(unread, takesWindow) };
  switch (found.kind) {
    case 'one': {
      const { uuid, name, status, isExact } = found;
      if (unread !== '' && !isExact && name !== null && status !== null)
        return {
          kind: 'choose',
          message: confirmWorkflowMessage(
            { typed, choices: [{ uuid, name, status }], lineFor },
            unreadWords(unread, takesWindow),
          ),
        };
      const note: TakenFor | null = unread === '' ? null : { kind: 'unread', words: unread, takesWindow };
      return { kind: 'one', uuid, name, takenFor: isExact ? note : { kind: 'similar', typed: text }, window, words };
    }
    case 'several':
      return { kind: 'choose', message: pickWorkflowMessage({ typed: text, choices: found.candidates, lineFor }) };
    case 'none': {
      if (isOnlyWindow(typed)) throw new AppError('usage', whichWorkflow);
      const note = takesWindow && window === null && text.includes(' ') ? { note: windowHint } : notes;
      return { kind: 'choose', message: noWorkflowMessage({ typed: text, choices: found.nearest, lineFor, ...note }) };
    }
  }
}

function isExactly(found: FoundWorkflow): boolean {
  return found.kind === 'one' && found.isExact;
}

function isOnlyWindow(typed: string): boolean {
  const { name, words } = readTyped(typed);
  return name === '' && readBeside(words).window !== null;
}

/** Nulls mean all workflows. */
type ScopeWorkflow = {
  readonly uuid: string | null;
  readonly name: string | null;
  readonly takenFor: TakenFor | null;
};

export type Scope = {
  readonly kind: 'scope';
  readonly ask: QueryClient;
  readonly window: Window;
  readonly now: number;
  /** Filter for the query service. */
  readonly filter: { readonly workflowUuid?: string; readonly window: Window };
  /** The words that are no part of the name. */
  readonly words: readonly string[];
  /** Looks the name up if only the uuid is known. @throws AppError `not_found` */
  readonly workflow: () => Promise<ScopeWorkflow>;
};

type ScopeRequest = {
  /** A name, a window, or both; undefined for all workflows. */
  readonly text: string | undefined;
  /** The value of `--window`. */
  readonly window: WindowExpression | undefined;
  /** If none is typed. */
  readonly usual: WindowExpression;
  readonly lineFor: LineFor;
};

export async function readScope(request: ScopeRequest, context: CommandContext): Promise<Scope | WorkflowChoice> {
  const { text, usual, lineFor } = request;
  const ask = context.ask();
  const now = context.clock();
  const isNamed = text !== undefined && readTyped(text).name !== '';
  const chosen = isNamed ? await chooseWorkflow({ typed: text, ask, lineFor, takesWindow: true }) : null;
  if (chosen?.kind === 'choose') return chosen;
  const typed = chosen ? chosen.window : readBeside(text?.split(' ') ?? []).window;
  const expression = request.window ?? typed ?? usual;
  const window = resolveWindow(expression, now, expression.needsZone ? await context.zone() : 'UTC');
  const words = chosen?.words ?? text?.split(' ') ?? [];
  const about = { kind: 'scope', ask, window, now, words } as const;
  if (!chosen) {
    return { ...about, filter: { window }, workflow: async () => ({ uuid: null, name: null, takenFor: null }) };
  }
  const { uuid, takenFor } = chosen;
  return {
    ...about,
    filter: { workflowUuid: uuid, window },
    workflow: async () => ({ uuid, name: await workflowNameOf(chosen, ask), takenFor }),
  };
}
