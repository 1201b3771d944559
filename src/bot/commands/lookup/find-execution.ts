/** Finds the execution that a person typed: an id or link, or a workflow's name for its newest failure. */
import { AppError } from '../../../shared/errors.ts';
import { parseReference } from '../../domain/reference.ts';
import { lastDays, resolveWindow } from '../../domain/window.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Answered, ExecutionDetail } from '../../query/results.ts';
import type { Message } from '../../views/blocks/message.ts';
import { noWorkflowMessage, pickWorkflowMessage } from '../../views/notices/pick-workflow.ts';
import { findWorkflow } from './find-workflow.ts';

export type FoundExecution =
  | { readonly kind: 'one'; readonly answered: Answered<ExecutionDetail> }
  /** No workflow or several match: the message lets the person choose. */
  | { readonly kind: 'choose'; readonly message: Message };

type TypedExecution = {
  /** An execution's uuid, 64-digit id or link; a workflow's name, uuid or link. */
  readonly typed: string;
  readonly ask: QueryClient;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Makes the command line for each workflow the person can choose. */
  readonly lineFor: (uuid: string) => string;
};

/** @throws AppError `not_found` */
export async function findExecution({ typed, ask, now, lineFor }: TypedExecution): Promise<FoundExecution> {
  const reference = parseReference(typed);
  switch (reference.kind) {
    case 'uuid':
      return one((await read(reference.uuid, ask)) ?? (await readNewest(reference.uuid, ask, now)));
    case 'hash': {
      const { data: uuid } = await ask.findExecution(reference.hash);
      return one(uuid === null ? null : await read(uuid, ask));
    }
    case 'text': {
      const found = await findWorkflow(reference.text, ask);
      if (found.kind === 'one') return one(await readNewest(found.uuid, ask, now));
      const choices = found.kind === 'several' ? found.candidates : found.nearest;
      const show = found.kind === 'several' ? pickWorkflowMessage : noWorkflowMessage;
      return { kind: 'choose', message: show({ typed, choices, lineFor }) };
    }
  }
}

function one(answered: Answered<ExecutionDetail> | null): FoundExecution {
  if (answered !== null) return { kind: 'one', answered };
  throw new AppError('not_found', 'There is no execution with this id in this workspace’s organization.');
}

async function read(uuid: string, ask: QueryClient): Promise<Answered<ExecutionDetail> | null> {
  const { data, provenance } = await ask.execution(uuid);
  return data === null ? null : { data, provenance };
}

/** The newest failure of the last seven days, or the newest execution if none failed. */
async function readNewest(
  workflowUuid: string,
  ask: QueryClient,
  now: number,
): Promise<Answered<ExecutionDetail> | null> {
  const window = resolveWindow(lastDays, now, 'UTC');
  const { data: failed } = await ask.executions({ workflowUuid, statuses: ['FAILURE'], window, page: 0, size: 1 });
  const { data: any } =
    failed.executions.length > 0 ? { data: failed } : await ask.executions({ workflowUuid, window, page: 0, size: 1 });
  const [newest] = any.executions;
  return newest === undefined ? null : read(newest.uuid, ask);
}
