/** Reads the failures of a window page by page and counts them. No page is kept. */
import { createYielder } from '../../shared/time/cooperative.ts';
import type { ChosenWorkflows } from '../domain/subscription.ts';
import { spelledWindow, type Window } from '../domain/window.ts';
import { createTally, type FailureTally } from '../insight/digest/tally.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Execution } from '../query/results.ts';

export type TimeSpan = { readonly from: number; readonly to: number };

export type ReadFailures = {
  readonly tally: FailureTally;
  /** Rows that could not be read. */
  readonly unreadable: number;
};

/** The service finds executions by their start; what ended in the window began at the most this long before it. */
const longestRunMs = 10 * 60_000;

/** @throws AppError where a page cannot be had: a part of the failures would pass for all of them */
export async function readFailures(
  ask: QueryClient,
  about: ChosenWorkflows,
  span: TimeSpan,
  signal: AbortSignal,
): Promise<ReadFailures> {
  const window = windowOf({ from: span.from - longestRunMs, to: span.to });
  const tally = createTally(span);
  const isMeant = meantBy(about);
  const pause = createYielder();
  let unreadable = 0;
  for (const workflowUuid of about.kind === 'chosen' ? about.uuids : [undefined]) {
    const filter = { ...(workflowUuid !== undefined && { workflowUuid }), statuses: ['FAILURE'], window };
    for await (const page of ask.eachExecution(filter, signal)) {
      unreadable += page.unreadable;
      for (const execution of page.executions) {
        if (isMeant(execution)) tally.add(execution);
        await pause();
      }
    }
  }
  return { tally: tally.result(), unreadable };
}

/** A window as a person would type it, which does not move. */
export function windowOf({ from, to }: TimeSpan): Window {
  return { from, to, label: spelledWindow(from, to), isMoving: false };
}

function meantBy(about: ChosenWorkflows): (execution: Pick<Execution, 'workflowName'>) => boolean {
  if (about.kind !== 'text') return () => true;
  return ({ workflowName }) => hasText(workflowName, about.text);
}

/** Whether a workflow's name has the text, in any case. */
export function hasText(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.trim().toLowerCase());
}
