/** Reads the scope of a query: one workflow or all workflows, in a window. */
import { resolveWindow, type Window, type WindowExpression, windowHint } from '../../domain/window.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Message } from '../../views/blocks/message.ts';
import { noWorkflowMessage, pickWorkflowMessage } from '../../views/notices/pick-workflow.ts';
import type { CommandContext } from '../framework/command.ts';
import { findWorkflow, workflowNameOf } from './find-workflow.ts';

/** No workflow or several match: the message lets the person choose. */
type Choose = { readonly kind: 'choose'; readonly message: Message };

export type ChosenWorkflow = {
  readonly kind: 'one';
  readonly uuid: string;
  /** Null where only the uuid is known so far. */
  readonly name: string | null;
  /** The typed text, if it matched another name. */
  readonly takenFor: string | null;
};

type Typed = {
  readonly typed: string;
  readonly ask: QueryClient;
  /** Makes the command line for each workflow the person can choose. */
  readonly lineFor: (uuid: string) => string;
  /** Whether a window may follow the name. */
  readonly takesWindow: boolean;
};

export async function chooseWorkflow({ typed, ask, lineFor, takesWindow }: Typed): Promise<ChosenWorkflow | Choose> {
  const found = await findWorkflow(typed, ask);
  switch (found.kind) {
    case 'one':
      return { kind: 'one', uuid: found.uuid, name: found.name, takenFor: found.isExact ? null : typed };
    case 'several':
      return { kind: 'choose', message: pickWorkflowMessage({ typed, choices: found.candidates, lineFor }) };
    case 'none': {
      const note = takesWindow && typed.includes(' ') ? { note: windowHint } : {};
      return { kind: 'choose', message: noWorkflowMessage({ typed, choices: found.nearest, lineFor, ...note }) };
    }
  }
}

/** Nulls stand for all workflows. */
type Named = { readonly uuid: string | null; readonly name: string | null; readonly takenFor: string | null };

export type Scope = {
  readonly kind: 'scope';
  readonly ask: QueryClient;
  readonly window: Window;
  readonly now: number;
  /** Filter for the query service. */
  readonly filter: { readonly workflowUuid?: string; readonly window: Window };
  /** Looks the name up if only the uuid is known. @throws AppError `not_found` */
  readonly workflow: () => Promise<Named>;
};

type ScopeQuestion = {
  /** Undefined for all workflows. */
  readonly text: string | undefined;
  readonly window: WindowExpression;
  /** The command line for one workflow; the window follows it. */
  readonly lineFor: (uuid: string) => string;
};

export async function readScope(question: ScopeQuestion, context: CommandContext): Promise<Scope | Choose> {
  const { text, window: expression, lineFor } = question;
  const ask = context.ask();
  const now = context.clock();
  const window = resolveWindow(expression, now, expression.needsZone ? await context.zone() : 'UTC');
  const about = { kind: 'scope', ask, window, now } as const;
  if (text === undefined) {
    return { ...about, filter: { window }, workflow: async () => ({ uuid: null, name: null, takenFor: null }) };
  }
  const chosen = await chooseWorkflow({
    typed: text,
    ask,
    lineFor: (uuid) => `${lineFor(uuid)} ${window.label}`,
    takesWindow: true,
  });
  if (chosen.kind === 'choose') return chosen;
  const { uuid, takenFor } = chosen;
  return {
    ...about,
    filter: { workflowUuid: uuid, window },
    workflow: async () => ({ uuid, name: await workflowNameOf(chosen, ask), takenFor }),
  };
}
