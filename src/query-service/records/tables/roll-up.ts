/** Computes how a batch of executions changes the roll-up: the numbers to add to each of its rows. */
import { dayMs, hourMs, startOfPeriod } from '../reads/periods.ts';
import type { Tables } from './tables.ts';

/** The columns of an execution that the roll-up counts. */
export type Counted = Pick<
  Tables['execution'],
  'organization_id' | 'workflow_uuid' | 'status' | 'started_at' | 'credit_micros' | 'executed_in_tee'
>;

type CountRow = Tables['execution_count'];
export const countedOfExecution = [
  'organization_id',
  'workflow_uuid',
  'status',
  'started_at',
  'credit_micros',
  'executed_in_tee',
] as const satisfies readonly (keyof Counted)[];
/** Columns that change; the others are the key. */
export const countedColumns = ['executions', 'credit_micros', 'credited', 'tee', 'non_tee'] as const;

/** Stands for a workflow's uuid in rows that count the whole organization. */
export const wholeOrganization = '';

export type Changes = {
  /** @param sign -1 for an execution that is deleted or replaced */
  count(counted: Counted, sign: 1 | -1): void;
  /** @returns one row for each changed row, of workflows and of whole organizations; the numbers are added to it */
  rows(): readonly CountRow[];
};

const periods = [0, dayMs, hourMs] as const;

export function createChanges(): Changes {
  const changes = new Map<string, CountRow>();
  const changeOf = (counted: Counted, periodMs: number): CountRow => {
    const { organization_id, workflow_uuid, status } = counted;
    const period_start = startOfPeriod(counted.started_at, periodMs);
    const text = `${organization_id}\n${workflow_uuid}\n${periodMs}\n${period_start}\n${status}`;
    const known = changes.get(text);
    if (known !== undefined) return known;
    const key = { organization_id, workflow_uuid, period_ms: periodMs, period_start, status };
    const made = { ...key, executions: 0, credit_micros: 0, credited: 0, tee: 0, non_tee: 0 };
    changes.set(text, made);
    return made;
  };
  return {
    count(counted, sign) {
      for (const periodMs of periods) {
        const change = changeOf(counted, periodMs);
        change.executions += sign;
        change.credit_micros += sign * (counted.credit_micros ?? 0);
        change.credited += counted.credit_micros === null ? 0 : sign;
        change.tee += counted.executed_in_tee === 1 ? sign : 0;
        change.non_tee += counted.executed_in_tee === 0 ? sign : 0;
      }
    },
    rows() {
      const all = [...changes.values(), ...ofOrganizations(changes.values())];
      return all.filter((row) => countedColumns.some((column) => row[column] !== 0));
    },
  };
}

/** @returns true if a row counts fewer executions than before; a row that counts none is deleted */
export function isLess(change: CountRow): boolean {
  return change.executions < 0;
}

function ofOrganizations(changes: Iterable<CountRow>): readonly CountRow[] {
  const sums = new Map<string, CountRow>();
  for (const change of changes) {
    const text = `${change.organization_id}\n${change.period_ms}\n${change.period_start}\n${change.status}`;
    const sum = sums.get(text);
    if (sum === undefined) sums.set(text, { ...change, workflow_uuid: wholeOrganization });
    else for (const column of countedColumns) sum[column] += change[column];
  }
  return [...sums.values()];
}
