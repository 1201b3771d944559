/**
 * A read as a generator: it yields statements, and gets their rows. It contains no promise, so SQLite runs it at once, and
 * PostgreSQL sends the statements that do not depend on each other together.
 */
import type { ReadCost } from '../read-cost.ts';
import type { Row, RunStatements, Statement } from '../sql.ts';

/**
 * Yields statements that may run at the same time, and gets the rows of each; or says what the next statements cost,
 * of which the most expensive one decides where they run.
 */
export type Steps<Result> = Generator<
  readonly Statement[] | { readonly costs: readonly ReadCost[] },
  Result,
  readonly (readonly Row[])[]
>;

/** @returns a function that runs statements of these costs */
export type RunAt = (costs: readonly ReadCost[]) => RunStatements;

/** @returns the rows of one statement */
export function* rowsOf(statement: Statement): Steps<readonly Row[]> {
  const [rows = []] = yield [statement];
  return rows;
}

/** Runs a read. @returns its result, as a promise if the engine returned one for a statement */
export function runSteps<Result>(steps: Steps<Result>, runAt: RunAt): Result | Promise<Result> {
  let run = runAt([]);
  for (let step = steps.next(); ; ) {
    if (step.done) return step.value;
    if ('costs' in step.value) {
      run = runAt(step.value.costs);
      step = steps.next([]);
      continue;
    }
    const rows = run(step.value);
    if (rows instanceof Promise) return runLater(steps, rows, run, runAt);
    step = steps.next(rows);
  }
}

async function runLater<Result>(
  steps: Steps<Result>,
  first: Promise<readonly (readonly Row[])[]>,
  firstRun: RunStatements,
  runAt: RunAt,
): Promise<Result> {
  let run = firstRun;
  for (let rows = await first; ; ) {
    const step = steps.next(rows);
    if (step.done) return step.value;
    if ('costs' in step.value) run = runAt(step.value.costs);
    rows = 'costs' in step.value ? [] : await run(step.value);
  }
}

/** Names the values of a row. @param columns in the order of the statement */
export function namedRow<Named>(columns: readonly string[], row: Row): Named {
  const named: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) named[columns[index] ?? ''] = row[index];
  return named as Named;
}

/** The columns of a table as SQL expressions, by the names that records use. `:organization` is a placeholder. */
export type Columns<Name extends string> = Readonly<Record<Name, string>>;

/**
 * @param organization binds the organization for columns that read a second table. Each table of a statement names it,
 *   or Citus asks every node.
 * @returns a list of expressions for `select`, in the order of the names
 */
export function selectText<Name extends string>(
  columns: Columns<Name>,
  names: readonly Name[],
  organization = () => '',
): string {
  if (names.length === 0) return '1';
  return names.map((name) => columns[name].replaceAll(':organization', organization)).join(', ');
}

export function namesOf<Name extends string>(columns: Columns<Name>): readonly Name[] {
  return Object.keys(columns) as Name[];
}
