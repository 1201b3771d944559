/** Finds the workflow that a person typed, and reads the scope of a query: one workflow or all, in a window. */
import { memoizeLatest } from '../../../shared/cache/memoize.ts';
import { AppError } from '../../../shared/errors.ts';
import { parseReference } from '../../domain/reference.ts';
import { resolveWindow, type Window, type WindowExpression, windowHint } from '../../domain/window.ts';
import { matchName, type NameMatch } from '../../insight/name-match.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';
import type { Message } from '../../views/blocks/message.ts';
import { noWorkflowMessage, pickWorkflowMessage } from '../../views/notices/pick-workflow.ts';
import type { CommandContext } from '../framework/command.ts';

export type FoundWorkflow =
  /** `name` is null for a uuid that was not looked up. */
  | {
      readonly kind: 'one';
      readonly uuid: string;
      readonly name: string | null;
      /** As the service spells it; null for a uuid that was not looked up. */
      readonly status: string | null;
      readonly isExact: boolean;
      readonly isMistyped: boolean;
    }
  | Exclude<NameMatch<WorkflowName>, { readonly kind: 'one' }>;

/** Needs one query if the text matches. @param typed a name, a part of one, a uuid, a workflow id with or without `0x`, the beginning of one, or a link with one */
export async function findWorkflow(typed: string, ask: QueryClient): Promise<FoundWorkflow> {
  const reference = parseReference(typed);
  switch (reference.kind) {
    case 'uuid':
      return { kind: 'one', uuid: reference.uuid, name: null, status: null, ...exactly };
    case 'hash':
      return findByWorkflowId(reference.hash, ask);
    case 'short':
      return findByPrefix(reference, ask);
    case 'text':
      return findByName(reference.text, ask);
  }
}

/** A name may look like the beginning of an id. */
async function findByPrefix(
  { prefix, text }: { readonly prefix: string; readonly text: string },
  ask: QueryClient,
): Promise<FoundWorkflow> {
  const named = await findByName(text, ask);
  if (named.kind === 'one' && !named.isMistyped) return named;
  const { data } = await ask.allWorkflows();
  const candidates = data.filter((workflow) => hasIdPrefix(workflow, prefix));
  const [only, second] = candidates;
  if (only && !second) return { kind: 'one', ...choiceOf(only), ...exactly };
  return only ? { kind: 'several', candidates } : named;
}

/** @param prefix lower case, without `0x` */
export function hasIdPrefix({ uuid, workflowId }: WorkflowName, prefix: string): boolean {
  return uuid.startsWith(prefix) || workflowId.toLowerCase().startsWith(prefix);
}

async function findByWorkflowId(hash: string, ask: QueryClient): Promise<FoundWorkflow> {
  const { data } = await ask.allWorkflows();
  const workflow = data.find(({ workflowId }) => workflowId.toLowerCase() === hash);
  if (!workflow) throw unknownWorkflow('with this id');
  return { kind: 'one', ...choiceOf(workflow), ...exactly };
}

function choiceOf({ uuid, name, status }: WorkflowName) {
  return { uuid, name, status };
}

const exactly = { isExact: true, isMistyped: false } as const;

/** Memoized: a cached list is often searched for the same words. */
const matchIn = memoizeLatest(
  (text: string) => text,
  (candidates: readonly WorkflowName[], text) => matchName(text, candidates),
);

async function findByName(text: string, ask: QueryClient): Promise<FoundWorkflow> {
  const { data: page } = await ask.workflowNames(text);
  const isComplete = page.workflows.length > 0 && !page.hasMore;
  const candidates = isComplete ? page.workflows : (await ask.allWorkflows()).data;
  if (candidates.length === 0)
    throw new AppError('not_found', 'The organization to which this workspace is connected has no workflows yet.');
  const match = matchIn(candidates, text);
  if (match.kind !== 'one') return match;
  const { candidate, ...how } = match;
  return { ...how, ...choiceOf(candidate) };
}

/** @returns the name of a workflow found by uuid @throws AppError `not_found` */
export async function workflowNameOf(
  { uuid, name }: { readonly uuid: string; readonly name: string | null },
  ask: QueryClient,
): Promise<string> {
  if (name !== null) return name;
  const { data, provenance } = await ask.allWorkflows();
  const workflow = data.find((one) => one.uuid === uuid);
  if (workflow) return workflow.name;
  // An incomplete list does not prove that the workflow is missing.
  if (provenance.missing.length > 0) return uuid;
  throw unknownWorkflow('with this id');
}

/** @param how such as `with this id` */
export function unknownWorkflow(how: string): AppError {
  return new AppError(
    'not_found',
    `There is no workflow ${how} in the organization to which this workspace is connected.`,
    {
      command: {
        line: 'list',
        purpose: 'see every workflow',
        or: { line: 'execution <id>', purpose: 'look into a run, if it is the id of one' },
      },
    },
  );
}

/** No workflow or several match: the message lets the person choose. */
type WorkflowChoice = { readonly kind: 'choose'; readonly message: Message };

export type ChosenWorkflow = {
  readonly kind: 'one';
  readonly uuid: string;
  /** Null if only the uuid is known. */
  readonly name: string | null;
  /** The typed text, if it matched another name. */
  readonly takenFor: string | null;
};

type TypedWorkflow = {
  readonly typed: string;
  readonly ask: QueryClient;
  /** Makes the command line for each workflow the person can choose. */
  readonly lineFor: (uuid: string) => string;
  /** True if a window may follow the name. */
  readonly takesWindow: boolean;
};

export async function chooseWorkflow({
  typed,
  ask,
  lineFor,
  takesWindow,
}: TypedWorkflow): Promise<ChosenWorkflow | WorkflowChoice> {
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

/** Nulls mean all workflows. */
type ScopeWorkflow = { readonly uuid: string | null; readonly name: string | null; readonly takenFor: string | null };

export type Scope = {
  readonly kind: 'scope';
  readonly ask: QueryClient;
  readonly window: Window;
  readonly now: number;
  /** Filter for the query service. */
  readonly filter: { readonly workflowUuid?: string; readonly window: Window };
  /** Looks the name up if only the uuid is known. @throws AppError `not_found` */
  readonly workflow: () => Promise<ScopeWorkflow>;
};

type ScopeRequest = {
  /** Undefined for all workflows. */
  readonly text: string | undefined;
  readonly window: WindowExpression;
  /** The command line for one workflow; the window follows it. */
  readonly lineFor: (uuid: string) => string;
};

export async function readScope(request: ScopeRequest, context: CommandContext): Promise<Scope | WorkflowChoice> {
  const { text, window: expression, lineFor } = request;
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
