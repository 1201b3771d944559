/** Opens the bot's database, migrates it, and returns its repositories. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../shared/time/clock.ts';
import { openDatabase } from './database.ts';
import { dialectOf } from './dialect.ts';
import { type Audit, createAudit } from './repositories/audit.ts';
import { type Credentials, createCredentials } from './repositories/credentials.ts';
import { createIdempotencyKeys, type IdempotencyKeys } from './repositories/idempotency-keys.ts';
import { createInstallations, type Installations } from './repositories/installations.ts';
import { createLeases, type Leases } from './repositories/leases.ts';
import { createOauthStates, type OauthStates } from './repositories/oauth-states.ts';
import { createOutbox, type Outbox } from './repositories/outbox.ts';
import { createRateLimiter, type RateLimiter } from './repositories/rate-limiter.ts';
import { createRoles, createSettings, type Roles, type Settings } from './repositories/rules.ts';
import { createSubscriptions, type Subscriptions } from './repositories/subscriptions.ts';
import { createThreads, type Threads } from './repositories/threads.ts';
import { deleteExpired, deleteUninstalled, deleteWorkspace } from './repositories/workspace-data.ts';
import type { KeyProvider } from './secrets/key-provider.ts';
import { createSecrets } from './secrets/secrets.ts';
import { missingKeys } from './secrets/stored-secrets.ts';
import type { Tables } from './tables/tables.ts';

export type Store = {
  readonly threads: Threads;
  readonly installations: Installations;
  readonly credentials: Credentials;
  readonly roles: Roles;
  readonly settings: Settings;
  readonly audit: Audit;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly oauthStates: OauthStates;
  readonly leases: Leases;
  readonly subscriptions: Subscriptions;
  readonly outbox: Outbox;
  readonly rateLimiter: RateLimiter;
  /** Removes all data of a workspace. */
  readonly deleteWorkspace: (teamId: string) => Promise<void>;
  /**
   * As `deleteWorkspace`, for an uninstalled workspace.
   * @returns false, and changes nothing, if it was not uninstalled before `before`
   */
  readonly deleteUninstalled: (teamId: string, before: number) => Promise<boolean>;
  /** Removes expired rows. @param now epoch milliseconds */
  readonly deleteExpired: (now: number) => Promise<void>;
  /** @returns the ids of the master keys that stored secrets need and the keyring lacks */
  readonly missingKeys: () => Promise<readonly string[]>;
  /** Does not wait for other queries. @throws AppError `unavailable` while the database does not answer or takes no writes */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
};

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
export async function openStore(url: string, { keys, clock, warn }: StoreOptions = {}): Promise<Store> {
  const { db, check, close } = await openDatabase(url, 'bot', warn);
  for (const keyId of warn ? await missingKeys(db, keys) : []) {
    warn?.(`Stored secrets are encrypted under the key “${keyId}”, which is missing from the keyring.`);
  }
  return { ...createRepositories(db, keys, clock), check, close };
}

function createRepositories(
  db: Kysely<Tables>,
  keys: KeyProvider | undefined,
  clock: Clock | undefined,
): Omit<Store, 'check' | 'close'> {
  const dialect = dialectOf(db, clock);
  const secrets = createSecrets(keys);
  return {
    threads: createThreads(db),
    installations: createInstallations(db, secrets),
    credentials: createCredentials(db, secrets),
    roles: createRoles(db),
    settings: createSettings(db),
    audit: createAudit(db),
    idempotencyKeys: createIdempotencyKeys(db),
    oauthStates: createOauthStates(db),
    leases: createLeases(db),
    subscriptions: createSubscriptions(db, dialect),
    outbox: createOutbox(db, dialect),
    rateLimiter: createRateLimiter(db, dialect),
    deleteWorkspace: (teamId) => deleteWorkspace(db, teamId),
    deleteUninstalled: (teamId, before) => deleteUninstalled(db, teamId, before),
    deleteExpired: (now) => deleteExpired(db, now),
    missingKeys: () => missingKeys(db, keys),
  };
}
