/** Finds the execution that a person typed: an id, the beginning of one or a link, or a workflow's name for its newest failure. */
import { AppError } from '../../../shared/errors.ts';
import { combinedProvenance } from '../../domain/provenance.ts';
import { parseReference } from '../../domain/reference.ts';
import { resolveWindow } from '../../domain/window.ts';
import { lastDays } from '../../domain/window-words.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Answered, Execution, ExecutionDetail } from '../../query/results.ts';
import type { Message } from '../../views/blocks/message.ts';
import { count } from '../../views/format/number.ts';
import { shortExecutionId } from '../../views/format/outside-text.ts';
import { dateFallback } from '../../views/format/time.ts';
import {
  confirmWorkflowMessage,
  type ExecutionSubject,
  noWorkflowMessage,
  pickExecutionMessage,
  pickWorkflowMessage,
  type TakenFor,
  unreadWords,
} from '../../views/notices/pick.ts';
import { type FoundWorkflow, findWorkflow } from './find-workflow.ts';
import { readBeside, readTyped } from './typed-words.ts';

export type FoundExecution =
  | {
      readonly kind: 'one';
      readonly answered: Answered<ExecutionDetail>;
      readonly takenFor: TakenFor | null;
    }
  /** None or several match: the message lets the person choose. */
  | { readonly kind: 'choose'; readonly message: Message };

type TypedExecution = {
  /** An execution's uuid, 64-digit id, the beginning of one, or link; a workflow's name, uuid or link. */
  readonly typed: string;
  readonly ask: QueryClient;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Makes the command line for each workflow or execution that the person can choose. */
  readonly lineFor: (uuid: string) => string;
  /** The reader's time zone. */
  readonly zone: () => Promise<string>;
};

/** @throws AppError `not_found` */
export async function findExecution(request: TypedExecution): Promise<FoundExecution> {
  const { typed, ask } = request;
  const reference = parseReference(readTyped(typed).name);
  switch (reference.kind) {
    case 'uuid': {
      const answered = await read(reference.uuid, ask);
      return one(answered ?? (await readNewest(reference.uuid, request)));
    }
    case 'hash': {
      const { found, searchedNewest } = (await ask.findExecution(reference.hash)).data;
      if (found !== null) return one(await readListed(found, ask));
      throw searchedNewest === null ? noExecution('with this id') : noneOfTheNewest(searchedNewest, 'this id');
    }
    case 'short':
      return findByPrefix(reference.prefix, request);
    case 'text':
      return findByName(request);
  }
}

/** @returns the words for an answer about the execution */
export function subjectOf(execution: Execution, takenFor: TakenFor | null): ExecutionSubject {
  return {
    workflowName: execution.workflowName,
    shortId: shortExecutionId(execution),
    startedAt: Date.parse(execution.startedAt),
    takenFor,
  };
}

function one(answered: Answered<ExecutionDetail>, takenFor: TakenFor | null = null): FoundExecution {
  return { kind: 'one', answered, takenFor };
}

/** @param how such as `with this id` */
function noExecution(how: string, hint?: string): AppError {
  const sentence = `There is no run ${how} in the organization to which this workspace is connected.`;
  return new AppError('not_found', sentence, {
    ...(hint !== undefined && { hint }),
    command: {
      line: 'executions',
      purpose: 'see the newest runs',
      or: { line: 'list', purpose: 'see the workflows' },
    },
  });
}

/** @param id such as `this id` */
function noneOfTheNewest(searched: number, id: string): AppError {
  return new AppError('not_found', `None of the newest ${count(searched)} runs has ${id}.`, {
    hint: 'To find an older one, give its uuid or a link.',
  });
}

async function read(uuid: string, ask: QueryClient): Promise<Answered<ExecutionDetail> | null> {
  const { data, provenance } = await ask.execution(uuid);
  return data === null ? null : { data, provenance };
}

/** @param uuid from a list of the service */
async function readListed(uuid: string, ask: QueryClient): Promise<Answered<ExecutionDetail>> {
  const answered = await read(uuid, ask);
  if (answered) return answered;
  throw new AppError('not_found', 'The query service lists this run, but no longer keeps its details.');
}

/** A workflow's exact name may look like the beginning of an id. */
async function findByPrefix(prefix: string, request: TypedExecution): Promise<FoundExecution> {
  const { typed, ask, lineFor, zone } = request;
  const named = await findWorkflow(typed, ask);
  if (named.kind === 'one' && named.isExact) return one(await readNewest(named.uuid, request));
  const { found: executions, searchedNewest } = (await ask.executionsByPrefix(prefix)).data;
  const [only, second] = executions;
  if (only && !second) return one(await readListed(only.uuid, ask));
  if (only) {
    return { kind: 'choose', message: pickExecutionMessage({ typed, executions, lineFor, zone: await zone() }) };
  }
  if (named.kind === 'one' && !named.isMistyped) return one(await readNewest(named.uuid, request), similar(named));
  if (named.kind === 'several') return choose(named.candidates, request, pickWorkflowMessage);
  if (searchedNewest !== null) throw noneOfTheNewest(searchedNewest, `an id that begins with “${typed}”`);
  throw noExecution(`whose id begins with “${typed}”`, 'You can also give its full id or a link.');
}

/** A misspelled name is offered, not taken: a thread about another workflow would mislead the channel. */
async function findByName(request: TypedExecution): Promise<FoundExecution> {
  const { typed, ask } = request;
  const found = await findWorkflow(typed, ask);
  switch (found.kind) {
    case 'one': {
      const { uuid, name, status, isExact, isMistyped } = found;
      const { unread } = readBeside(found.beside, false);
      if ((isMistyped || unread !== '') && name !== null && status !== null) {
        const ask =
          unread === ''
            ? noWorkflowMessage
            : (pick: Choice) => confirmWorkflowMessage(pick, unreadWords(unread, false));
        return choose([{ uuid, name, status }], request, ask);
      }
      return one(await readNewest(uuid, request), isExact ? null : similar(found));
    }
    case 'several':
      return choose(found.candidates, request, pickWorkflowMessage);
    case 'none':
      return choose(found.nearest, request, noWorkflowMessage);
  }
}

function similar({ text }: FoundWorkflow): TakenFor {
  return { kind: 'similar', typed: text };
}

type Choice = Parameters<typeof pickWorkflowMessage>[0];

function choose(
  choices: Choice['choices'],
  { typed, lineFor }: TypedExecution,
  show: typeof pickWorkflowMessage,
): FoundExecution {
  return { kind: 'choose', message: show({ typed, choices, lineFor }) };
}

/** The newest failure of the last seven days, else the newest execution of all. @throws AppError `not_found` */
async function readNewest(workflowUuid: string, { ask, now }: TypedExecution): Promise<Answered<ExecutionDetail>> {
  const window = resolveWindow(lastDays, now, 'UTC');
  const always = { from: 0, to: now, label: 'always', isMoving: true };
  for (const filter of [{ statuses: ['FAILURE' as const], window }, { window }, { window: always }]) {
    const { data, provenance } = await ask.executions({ ...filter, workflowUuid, page: 0, size: 1 });
    const [newest] = data.executions;
    if (newest === undefined) continue;
    const listed = await readListed(newest.uuid, ask);
    // There may be a newer one than an old list has.
    return provenance.source === 'stale'
      ? { ...listed, provenance: combinedProvenance(provenance, listed.provenance) }
      : listed;
  }
  throw await noExecutionOf(workflowUuid, ask);
}

/** A workflow that never ran, one whose executions are not kept, and an unknown id are different answers. */
async function noExecutionOf(workflowUuid: string, ask: QueryClient): Promise<AppError> {
  const { data, provenance } = await ask.everyWorkflow();
  const workflow = data.find(({ uuid }) => uuid === workflowUuid);
  if (workflow?.executedAt === null) return new AppError('not_found', `${workflow.name} has never run.`);
  if (workflow) {
    const at = dateFallback(Date.parse(workflow.executedAt));
    return new AppError(
      'not_found',
      `The query service no longer keeps any run of ${workflow.name}. The last one started at ${at}.`,
    );
  }
  const [unread] = provenance.missing;
  return noExecution('or workflow with this id', unread === undefined ? undefined : `Not searched: ${unread}.`);
}
