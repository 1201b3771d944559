/** Resolves the credential of a workspace: its stored key, else the default key, else an error. */
import { createStaleWhileErrorCache, type StaleWhileErrorCache } from '../../shared/cache/stale-while-error.ts';
import { AppError } from '../../shared/errors.ts';
import type { Runtime } from '../domain/runtime.ts';
import type { QueryCredential } from '../query/query-client.ts';
import type { AuditLog } from '../store/audit-recorder.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import { reportUnreadable } from '../store/secrets/secrets.ts';
import type { Store } from '../store/store.ts';

/** Endpoint and key from the configuration, for every workspace or for one. */
export type DefaultKey = { readonly endpoint: string; readonly apiKey: string; readonly teamId?: string };

/** @returns undefined if the configuration has no key for this workspace */
export function defaultKeyFor(key: DefaultKey | undefined, teamId: string): DefaultKey | undefined {
  return key?.teamId === undefined || key.teamId === teamId ? key : undefined;
}

export interface ResolverServices {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly audit: AuditLog;
  /** Endpoints that the configuration lists; the first is the default. */
  readonly endpoints: readonly [string, ...string[]];
  readonly defaultKey: DefaultKey | undefined;
}

/** A replaced or removed key is out of use in every process within this time. */
const lifetimeMs = 10_000;

export class CredentialResolver {
  /** The stored credential without the key, at most ten seconds old. */
  readonly stored: StaleWhileErrorCache<Credential | undefined>;
  readonly #services: ResolverServices;
  readonly #openApiKey: Store['credentials']['openApiKey'];

  constructor(services: ResolverServices) {
    const { runtime, store, audit } = services;
    const { clock, log } = runtime;
    this.#services = services;
    this.#openApiKey = reportUnreadable(audit.record, log, store.credentials.openApiKey);
    this.stored = createStaleWhileErrorCache({
      read: store.credentials.find,
      lifetimeMs,
      clock,
      onFailure: (teamId, cause) => log.error({ teamId, err: cause }, 'API key of a workspace could not be looked up'),
      sentence: 'The bot cannot look up this workspace’s query service right now.',
    });
  }

  /** @throws AppError `unauthorized` if the workspace has no key */
  async of(teamId: string): Promise<QueryCredential & { readonly stored: Credential | undefined }> {
    const stored = await this.stored.of(teamId);
    if (stored && !this.isListed(stored)) throw notListed();
    if (stored) return { ...this.with(stored), stored };
    const given = defaultKeyFor(this.#services.defaultKey, teamId);
    if (!given) throw notConnected();
    return { ...given, teamId, keyId: 'environment', stored: undefined };
  }

  /** Uses the stored key and decrypts it before each request. */
  with(stored: Credential): QueryCredential {
    const { teamId, version: keyId, endpoint, refusedSince } = stored;
    return { teamId, keyId, endpoint, apiKey: () => this.#openKey(stored), refusedSince };
  }

  /** @returns true if the configuration lists the endpoint of the key; other endpoints never get a key */
  isListed({ endpoint }: Credential): boolean {
    return this.#services.endpoints.includes(endpoint);
  }

  /** Refuses a key if its version or endpoint changed meanwhile: a key never goes to another endpoint. */
  async #openKey({ teamId, version, endpoint }: Credential): Promise<string> {
    const opened = await this.#openApiKey(teamId);
    if (opened?.version === version && opened.endpoint === endpoint) return opened.apiKey;
    this.stored.forget(teamId);
    throw new AppError('unavailable', 'The connection of this workspace has just changed.', {
      hint: 'Try again.',
      isRetryable: true,
    });
  }
}

/** The error if the endpoint is no longer configured. */
function notListed(): AppError {
  return new AppError('unauthorized', 'This workspace’s query service is not on the bot’s list of allowed services.', {
    hint: 'A workspace admin or bot admin can press Connect and enter a key for an allowed service.',
    reason: 'not_listed',
  });
}

function notConnected(): AppError {
  return new AppError('unauthorized', 'This workspace is not connected to an organization.', {
    hint: 'A workspace admin or bot admin can press Connect and enter an API key.',
    reason: 'not_connected',
  });
}
