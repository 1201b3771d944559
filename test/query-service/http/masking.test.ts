/** A bug of the service is logged with its cause; the reply has only a reference. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GraphQLError } from 'graphql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fieldRefusal } from '../../../src/query-service/graphql/refusal.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { createErrorLog, startTestService, type TestService } from '../../support/service/service.ts';
import { uuidOf } from '../../support/service/service-records.ts';

let folder: string;
let service: TestService;
let log: ReturnType<typeof createErrorLog>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-'));
  log = createErrorLog();
  service = await startTestService({ databaseUrl: `sqlite:${join(folder, 'records.db')}`, log: log.log });
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

/** Like another process, without notice to the service. */
function breakStore(statement: string): void {
  const database = new DatabaseSync(join(folder, 'records.db'));
  database.exec(`pragma foreign_keys = off; ${statement}`);
  database.close();
}

test.each([
  ['a table that is gone', 'drop table execution'],
  ['errors that are no JSON', "update execution set errors = '{secret'"],
  ['errors that are no list', "update execution set errors = '7'"],
  ['a time that is none', "update execution set started_at = 'secret'"],
  ['a status that the schema lacks', "update execution set classified_status = 'SECRET'"],
])('with %s the answer is a reference, the first time and again', async (_, statement) => {
  breakStore(statement);
  const query = `{ workflowExecutions(input: {}) { data { startedAt classifiedStatus errors { error } } }
    workflowExecution(input: { uuid: "${uuidOf('execution', 5)}" }) { data { startedAt classifiedStatus errors { error } } }
    getOrganization { displayName } }`;
  for (const run of ['the first time', 'again']) {
    log.errors.length = 0;
    const { status, text, body } = await service.ask(query);
    expect({ run, status, code: body.errors?.[0]?.extensions.code }).toEqual({ run, status: 200, code: 'INTERNAL' });
    expect(body.data).toMatchObject({ getOrganization: { displayName: 'Harbor' } });
    expect(text).not.toMatch(/secret|no such table|JSON|iterable|serialize|Enum|sqlite/i);
    const references = body.errors?.map(({ extensions }) => extensions.reference);
    expect(references).toEqual(log.errors.map(({ reference }) => reference));
    expect(log.errors[0]?.['err']).toBeInstanceOf(Error);
  }
});

test('an error for operators is shown as a reference too', () => {
  const cause = new AppError('unavailable', 'The database does not answer.');
  const shown = fieldRefusal(new GraphQLError(cause.message, { originalError: cause }), log.log);
  const [{ reference, err } = {}] = log.errors;
  expect(shown.extensions).toEqual({ code: 'INTERNAL', reference });
  expect(shown.message).not.toContain(cause.message);
  expect(err).toBe(cause);
});

test('if keys cannot be read, every request gets 500 with a reference', async () => {
  breakStore('drop table api_key');
  for (const key of [service.apiKeys.harbor, 'wrong']) {
    const { status, text, body } = await service.ask('{ getOrganization { displayName } }', null, key);
    const reference = log.errors.at(-1)?.['reference'];
    expect({ status, extensions: body.errors?.[0]?.extensions }).toEqual({
      status: 500,
      extensions: { code: 'INTERNAL', reference },
    });
    expect(text).not.toMatch(/api_key|table/);
  }
});
