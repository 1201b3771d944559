/** Opens the bot's database, migrates it, and returns its repositories. */

import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../shared/time/clock.ts';
import { deliveriesKeptDays } from '../domain/subscription.ts';
import { openDatabase } from './database.ts';
import { changesOne, type Dialect, dialectOf, inTransaction } from './dialect.ts';
import { createAudit, deleteExpiredAudit } from './repositories/audit.ts';
import { createIdempotencyKeys, createLeases, createOauthStates } from './repositories/coordination.ts';
import { createCredentials } from './repositories/credentials.ts';
import { createInstallations } from './repositories/installations.ts';
import { createOutbox } from './repositories/outbox.ts';
import { createPostPermits } from './repositories/post-permits.ts';
import { createRoles, createSettings } from './repositories/rules.ts';
import { createSubscriptions } from './repositories/subscriptions.ts';
import type { KeyProvider } from './secrets/envelope.ts';
import { createSecrets, type Secrets } from './secrets/secrets.ts';
import { missingKeys } from './secrets/stored-secrets.ts';
import { type Tables, tableKeys, tableNames } from './tables.ts';

export type StoreOptions = {
  /** Without keys no secret can be stored or read; everything else works. */
  readonly keys?: KeyProvider | undefined;
  /** For tests: replaces the database's clock. */
  readonly clock?: Clock | undefined;
  /** Called with a sentence if other users of the machine can open a file, or could until now, and for each missing key. */
  readonly warn?: (sentence: string) => void;
};

/**
 * @param url `sqlite:<file>` (a missing folder is made), `sqlite::memory:` or `postgres://…`
 * @throws AppError `usage` for any other url, `unavailable` if the database cannot be used, another bot has the file, or a
 *   secret in it is plain text
 */
export async function openStore(url: string, { keys, clock, warn }: StoreOptions = {}) {
  const { db, check, close } = await openDatabase(url, 'bot', warn);
  for (const keyId of warn ? await missingKeys(db, keys) : []) {
    warn?.(`Stored secrets are encrypted under the key “${keyId}”, which is missing from the keyring.`);
  }
  const [dialect, secrets] = [dialectOf(db, clock), createSecrets(keys)];
  return {
    ...createRepositories(db, dialect, secrets),
    /** Removes all data of a workspace. */
    deleteWorkspace: (teamId: string) => inTransaction(db, (step) => deleteRows(step, teamId)),
    /**
     * As `deleteWorkspace`, for an uninstalled workspace.
     * @returns false, and changes nothing, if it was installed again, or was not uninstalled before `before`
     */
    deleteUninstalled: (teamId: string, before: number) =>
      inTransaction(db, async (step) => {
        // A concurrent installation either waits for this transaction or is visible here.
        const uninstalled = step.deleteFrom('installation').where('uninstalledAt', '<', before);
        const isDeleted = await changesOne(uninstalled.where('teamId', '=', teamId));
        if (isDeleted) await deleteRows(step, teamId);
        return isDeleted;
      }),
    /** Removes rows that have expired by the database's clock. */
    deleteExpired: () => deleteExpired(db, dialect),
    /** Runs the work in one transaction. The repositories outside of it wait until it ends. */
    transaction: <Result>(work: (step: StoreStep) => Promise<Result>) =>
      inTransaction(db, (step) => work(createRepositories(step, dialect, secrets))),
    /** @returns the ids of the master keys that stored secrets need and the keyring lacks */
    missingKeys: () => missingKeys(db, keys),
    /** Does not wait for other queries. @throws AppError `unavailable` while the database does not answer or takes no writes */
    check,
    close,
  };
}

export type Store = Awaited<ReturnType<typeof openStore>>;

/** Repositories inside of a transaction. */
export type StoreStep = ReturnType<typeof createRepositories>;

function createRepositories(db: Kysely<Tables>, dialect: Dialect, secrets: Secrets) {
  return {
    installations: createInstallations(db, dialect, secrets),
    credentials: createCredentials(db, secrets),
    roles: createRoles(db),
    settings: createSettings(db),
    audit: createAudit(db, dialect),
    idempotencyKeys: createIdempotencyKeys(db, dialect),
    oauthStates: createOauthStates(db, dialect),
    leases: createLeases(db, dialect),
    subscriptions: createSubscriptions(db, dialect),
    outbox: createOutbox(db, dialect),
    postPermits: createPostPermits(db, dialect),
  };
}

async function deleteRows(db: Kysely<Tables>, teamId: string): Promise<void> {
  const tables = tableNames.filter((name) => tableKeys[name].includes('team_id'));
  for (const name of tables) await sql`delete from ${sql.table(name)} where team_id = ${teamId}`.execute(db);
}

async function deleteExpired(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  for (const name of ['idempotency_key', 'oauth_state', 'lease'] as const) {
    await sql`delete from ${sql.table(name)} where expires_at <= ${dialect.now()}`.execute(db);
  }
  const before = dialect.after(-deliveriesKeptDays * 86_400_000);
  const isDone = sql`state <> 'due' and due_at < ${before} and (state <> 'open' or claimable_at <= ${dialect.now()})`;
  const key = sql.raw('team_id, kind, subject, occurrence_id');
  await inTransaction(db, async (step) => {
    for (const part of ['posted_file', 'posted_message'] as const) {
      const gone = sql`select ${key} from delivery where ${isDone}`;
      await sql`delete from ${sql.table(part)} where (${key}) in (${gone})`.execute(step);
    }
    await sql`delete from delivery where ${isDone}`.execute(step);
  });
  await db.deleteFrom('subscription').where('removedAt', '<', before).execute();
  await deleteExpiredAudit(db, dialect);
}
