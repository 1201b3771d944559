/** Resolves the credential of a workspace: its stored key, else the default key, else an error. */
import { createStaleWhileErrorCache, type StaleWhileErrorCache } from '../../shared/cache/stale-while-error.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { AuditRecorder } from '../domain/audit-action.ts';
import type { QueryCredential } from '../query/query-client.ts';
import type { Credential, Credentials } from '../store/repositories/credentials.ts';
import { createOpenReported } from '../store/secrets/unreadable.ts';

/** Endpoint and key from the configuration, for every workspace or for one. */
export type DefaultKey = { readonly endpoint: string; readonly apiKey: string; readonly teamId?: string };

/** @returns undefined if the configuration has no key for this workspace */
export function defaultKeyFor(key: DefaultKey | undefined, teamId: string): DefaultKey | undefined {
  return key?.teamId === undefined || key.teamId === teamId ? key : undefined;
}

export type CredentialResolverDeps = {
  readonly credentials: Pick<Credentials, 'find' | 'openApiKey'>;
  readonly defaultKey: DefaultKey | undefined;
  /** Endpoints that the configuration lists. */
  readonly endpoints: readonly string[];
  readonly record: AuditRecorder;
  readonly clock: Clock;
  readonly log: Logger;
};

export type CredentialResolver = {
  /** The stored credential without the key, at most ten seconds old. */
  readonly stored: StaleWhileErrorCache<Credential | undefined>;
  /** @throws AppError `unauthorized` if the workspace has no key */
  readonly of: (teamId: string) => Promise<QueryCredential & { readonly stored: Credential | undefined }>;
  /** Uses the stored key and decrypts it before each request. */
  readonly with: (stored: Credential) => QueryCredential;
  /** @returns true if the configuration lists the endpoint of the key; other endpoints never get a key */
  readonly isListed: (stored: Pick<Credential, 'endpoint'>) => boolean;
};

/** A replaced or removed key is out of use in every process within this time. */
const lifetimeMs = 10_000;

export function createCredentialResolver(deps: CredentialResolverDeps): CredentialResolver {
  const { credentials, defaultKey, clock, log } = deps;
  const stored = createStaleWhileErrorCache({
    read: credentials.find,
    lifetimeMs,
    clock,
    onFailure: (teamId, cause) => log.error({ teamId, err: cause }, 'API key of a workspace could not be looked up'),
    sentence: 'The bot cannot look up this workspace’s query service right now.',
  });
  const openKey = createKeyOpener(deps, stored);
  const withStored = (credential: Credential): QueryCredential => ({
    teamId: credential.teamId,
    keyId: credential.version,
    endpoint: credential.endpoint,
    apiKey: () => openKey(credential),
    refusedSince: credential.refusedSince,
  });
  const isListed: CredentialResolver['isListed'] = ({ endpoint }) => deps.endpoints.includes(endpoint);
  return {
    stored,
    with: withStored,
    isListed,
    of: async (teamId) => {
      const known = await stored.of(teamId);
      if (known?.hasKey && !isListed(known)) throw notListed();
      if (known?.hasKey) return { ...withStored(known), stored: known };
      const given = defaultKeyFor(defaultKey, teamId);
      if (!given) throw notConnected();
      return { ...given, teamId, keyId: 'environment', stored: undefined };
    },
  };
}

/** Refuses a key if its version or endpoint changed meanwhile: a key never goes to another endpoint. */
function createKeyOpener(deps: CredentialResolverDeps, stored: Pick<StaleWhileErrorCache<unknown>, 'forget'>) {
  const openReported = createOpenReported(deps);
  return async ({ teamId, version, endpoint }: Credential): Promise<string> => {
    const opened = await openReported(teamId, () => deps.credentials.openApiKey(teamId));
    if (opened?.version === version && opened.endpoint === endpoint) return opened.apiKey;
    stored.forget(teamId);
    throw new AppError('unavailable', 'The connection of this workspace has just changed.', {
      hint: 'Try again.',
      isRetryable: true,
    });
  };
}

/** The error if the endpoint is no longer configured. */
function notListed(): AppError {
  return new AppError(
    'unauthorized',
    'This workspace’s query service is no longer on the bot’s list of allowed services.',
    {
      hint: 'A workspace admin or another bot admin can press Connect, choose another service and enter a key for it.',
      reason: 'not_connected',
    },
  );
}

function notConnected(): AppError {
  return new AppError('unauthorized', 'This workspace is not connected to a query service yet.', {
    hint: 'A workspace admin or another bot admin can press Connect, choose the service and enter an API key.',
    reason: 'not_connected',
  });
}
