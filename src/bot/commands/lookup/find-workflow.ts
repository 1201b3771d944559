/** Finds a workflow by what a person typed: an id, a link or a name. One query is enough if the text matches. */

import { memoizeLatest } from '../../../shared/cache/memoize.ts';
import { AppError } from '../../../shared/errors.ts';
import { parseReference } from '../../domain/reference.ts';
import { matchName, type NameMatch } from '../../insight/name-match.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';

export type FoundWorkflow =
  /** `name` is null for a uuid that is not looked up yet. */
  | { readonly kind: 'one'; readonly uuid: string; readonly name: string | null; readonly isExact: boolean }
  | Exclude<NameMatch<WorkflowName>, { readonly kind: 'one' }>;

/** @param typed a name, a part of one, a uuid, a workflow id with or without `0x`, or a link with one of them */
export async function findWorkflow(typed: string, ask: QueryClient): Promise<FoundWorkflow> {
  const reference = parseReference(typed);
  switch (reference.kind) {
    case 'uuid':
      return { kind: 'one', uuid: reference.uuid, name: null, isExact: true };
    case 'hash':
      return findByWorkflowId(reference.hash, ask);
    case 'text':
      return findByName(reference.text, ask);
  }
}

async function findByWorkflowId(hash: string, ask: QueryClient): Promise<FoundWorkflow> {
  const { data } = await ask.allWorkflows();
  const workflow = data.find(({ workflowId }) => workflowId.toLowerCase() === hash);
  if (!workflow) throw unknownWorkflow('with this id');
  return { kind: 'one', uuid: workflow.uuid, name: workflow.name, isExact: true };
}

/** Memoized: a cached list is often searched for the same words. */
const matchIn = memoizeLatest(
  (text: string) => text,
  (candidates: readonly WorkflowName[], text) => matchName(text, candidates),
);

async function findByName(text: string, ask: QueryClient): Promise<FoundWorkflow> {
  const { data: page } = await ask.workflowNames(text);
  const isComplete = page.workflows.length > 0 && !page.hasMore;
  const candidates = isComplete ? page.workflows : (await ask.allWorkflows()).data;
  if (candidates.length === 0) throw new AppError('not_found', 'This organization has no workflows yet.');
  const match = matchIn(candidates, text);
  if (match.kind !== 'one') return match;
  const { uuid, name } = match.candidate;
  return { kind: 'one', uuid, name, isExact: match.isExact };
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
  return new AppError('not_found', `There is no workflow ${how} in this workspace’s organization.`, {
    hint: 'Type “list” after the command to see every workflow.',
  });
}
