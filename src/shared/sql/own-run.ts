/** Runs Kysely's statements through a function, without acquiring and releasing a connection. */
import { type CompiledQuery, type Dialect, Kysely, type QueryResult } from 'kysely';

/** Runs one statement outside of any transaction. @returns its rows */
export type RunStatement = (query: CompiledQuery) => Promise<readonly unknown[]>;

/**
 * @param base open, of the same dialect
 * @returns a function that makes a database from a way to run statements; making one for each request is cheap
 */
export function databasesOf<Tables>(base: Kysely<Tables>, dialect: Dialect): (run: RunStatement) => Kysely<Tables> {
  const executor = base.getExecutor();
  const driver = dialect.createDriver();
  const config = { dialect };
  return (run) => {
    const connection = {
      executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: (await run(query)) as Row[],
      }),
      streamQuery: () => {
        throw new Error('Statements that are run one by one give no streams.');
      },
    };
    const ownExecutor = executor.withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
    return new Kysely<Tables>({ config, dialect, driver, executor: ownExecutor });
  };
}
