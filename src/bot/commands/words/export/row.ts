/** One execution as a row of a file: every text from outside is clean and masked, whatever reads the file. */
import type { ExecutionFieldsFragment } from '../../../query/generated/operations.ts';
import { outsideError } from '../../../views/format/outside-text.ts';

/** A program reads these: null is what is not known. */
export type ExportRow = {
  readonly workflow: string;
  readonly executionUuid: string;
  readonly executionId: string;
  /** As the service spells them. */
  readonly status: string;
  readonly classifiedStatus: string | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly durationMs: number | null;
  /** The one most nodes reported first. */
  readonly errors: readonly { readonly error: string; readonly nodes: number }[];
  /** How many more errors there are. */
  readonly errorsLeftOut: number;
};

const valueUnitsMax = 400;
const errorUnitsMax = 4000;
const errorsMax = 20;

export function exportRow(execution: ExecutionFieldsFragment): ExportRow {
  const { workflowName, uuid, id, status, classifiedStatus, startedAt, finishedAt } = execution;
  const errors = execution.errors ?? [];
  const durationMs = finishedAt === null ? null : Date.parse(finishedAt) - Date.parse(startedAt);
  return {
    workflow: readable(workflowName),
    executionUuid: readable(uuid),
    executionId: readable(id),
    status: readable(status),
    classifiedStatus: classifiedStatus === null ? null : readable(classifiedStatus),
    startedAt: isoText(startedAt),
    finishedAt: finishedAt === null ? null : isoText(finishedAt),
    durationMs: durationMs !== null && durationMs >= 0 ? durationMs : null,
    errors: errors
      .slice(0, errorsMax)
      .map(({ error, count }) => ({ error: readable(error, errorUnitsMax), nodes: count })),
    errorsLeftOut: Math.max(0, errors.length - errorsMax),
  };
}

/** Nothing stays nothing: a file has no need of words for it. */
function readable(text: string, max = valueUnitsMax): string {
  return text === '' ? '' : outsideError(text, max);
}

/** @param text a time that could be read */
function isoText(text: string): string {
  return new Date(Date.parse(text)).toISOString();
}
