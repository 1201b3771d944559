/** Connects a workspace to its query service and disconnects it, on behalf of one person. The caller has checked their role. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { parseKeyText } from '../../shared/key-shape.ts';
import type { AuditRecorder } from '../domain/audit-action.ts';
import type { Person } from '../domain/person.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Organization } from '../query/results.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import { defaultKeyFor, type ResolverServices } from './credential-resolver.ts';
import type { ConnectionServices } from './key-health.ts';

export type ConnectionState = {
  readonly endpoints: ResolverServices['endpoints'];
  /** The stored credential, without the key. */
  readonly stored: Credential | undefined;
  /** True if the configuration still lists the stored endpoint. */
  readonly isListed: boolean;
  /** True if the default key is used when none is stored. */
  readonly hasDefaultKey: boolean;
};

type Offer = {
  readonly endpoint: string;
  /** Kept only in the store, encrypted. */
  readonly apiKey: string;
  /** True if the key may move the workspace to another organization. */
  readonly mayMove: boolean;
};

type Offered =
  | {
      readonly kind: 'connected';
      readonly organization: Organization;
      readonly stored: Credential;
      /** The credential that was replaced. */
      readonly before: Credential | undefined;
      /** Null if the service did not say. */
      readonly workflows: WorkflowCount | null;
    }
  /** The service refused the key or did not answer. Nothing was stored; the same holds for the next two. */
  | { readonly kind: 'refused'; readonly error: AppError }
  /** The organization gives no data because it is restricted or deleted. */
  | { readonly kind: 'closed'; readonly organization: Organization }
  | { readonly kind: 'other'; readonly organization: Organization; readonly bound: Credential };

/** `isAtLeast`: there may be more. */
type WorkflowCount = { readonly count: number; readonly isAtLeast: boolean };

export class Connection {
  readonly #services: ConnectionServices;
  readonly #person: Person;

  constructor(services: ConnectionServices, person: Person) {
    this.#services = services;
    this.#person = person;
  }

  async state(): Promise<ConnectionState> {
    const { store, endpoints, defaultKey, resolver } = this.#services;
    const { teamId } = this.#person;
    const stored = await store.credentials.find(teamId);
    const hasDefaultKey = defaultKeyFor(defaultKey, teamId) !== undefined;
    return { endpoints, stored, isListed: stored !== undefined && resolver.isListed(stored), hasDefaultKey };
  }

  /** @throws AppError `unavailable` if no key can be stored, with a hint for the administrator */
  requireKeyring(): void {
    this.#services.store.credentials.requireKeyring();
  }

  /** Tries the key and stores it if it works. @throws AppError if it works but cannot be stored, or as `requireKeyring` */
  async connect(offer: Offer): Promise<Offered> {
    this.requireKeyring();
    const { query, store } = this.#services;
    const { teamId } = this.#person;
    const { endpoint, apiKey, mayMove } = offer;
    // A key id of its own, so that no cached answer of another key is used.
    const credential = { teamId, keyId: `trial ${randomUUID()}`, endpoint, apiKey };
    const asking = query.forWorkspace(credential, { isFresh: true });
    const tried = await asking.organization().catch(refusal);
    if (tried instanceof AppError) return { kind: 'refused', error: tried };
    const { data: organization } = tried;
    const before = await store.credentials.find(teamId);
    const { restrictionStatus, activeStatus } = organization;
    if (restrictionStatus !== 'FULL_ACCESS' || activeStatus !== 'ACTIVE') return { kind: 'closed', organization };
    const isOther = before?.organizationId != null && before.organizationId !== organization.organizationId;
    if (isOther && !mayMove) return { kind: 'other', organization, bound: before };
    const [stored, workflows] = await Promise.all([this.#store(offer, organization), counted(asking)]);
    return { kind: 'connected', organization, stored, before, workflows };
  }

  async disconnect(): Promise<Credential | undefined> {
    const { audit, resolver } = this.#services;
    const { teamId } = this.#person;
    const removed = await audit.audited(async ({ credentials }, record) => {
      const before = await credentials.find(teamId);
      if (!before || !(await credentials.disconnect(teamId))) return undefined;
      await record(this.#person, 'key removed', factsOf(before));
      return before;
    });
    resolver.stored.forget(teamId);
    return removed;
  }

  async #store(
    { endpoint, apiKey }: Offer,
    { organizationId, displayName: organizationName }: Organization,
  ): Promise<Credential> {
    const { audit, resolver, runtime } = this.#services;
    const { teamId, userId: connectedBy } = this.#person;
    const by = { connectedBy, connectedAt: runtime.clock() };
    const credential = { endpoint, apiKey, keyHint: keyHint(apiKey), organizationId, organizationName, ...by };
    const stored = await audit.audited(async ({ credentials }, record) => {
      const before = await credentials.find(teamId);
      const after = await credentials.connect(teamId, credential);
      await recordConnection(record, this.#person, after, before);
      return after;
    });
    resolver.stored.forget(teamId);
    return stored;
  }
}

/** Rethrows internal errors, because they say nothing about the key. */
function refusal(error: unknown): AppError {
  if (error instanceof AppError && error.code !== 'internal') return error;
  throw error;
}

const pageSize = 100;

/** Counts workflows for the answer. The connection does not depend on it. */
async function counted(asking: QueryClient): Promise<WorkflowCount | null> {
  try {
    const { data } = await asking.workflows({ page: 0, size: pageSize });
    return { count: data.workflows.length, isAtLeast: data.hasMore };
  } catch {
    return null;
  }
}

async function recordConnection(record: AuditRecorder, person: Person, stored: Credential, before?: Credential) {
  await record(person, before ? 'key replaced' : 'key set', factsOf(stored));
  if (!before || before.endpoint === stored.endpoint) return;
  await record(person, 'endpoint changed', { before: before.endpoint, after: stored.endpoint });
}

function factsOf({ endpoint, keyHint: key, organizationName }: Credential): Readonly<Record<string, string>> {
  // A short key has no hint.
  return { endpoint, ...(key !== '' && { key }), organization: organizationName ?? 'unknown' };
}

/** Fewer hidden characters could be guessed. */
const hiddenUnitsMin = 20;
const endUnits = 4;

/**
 * @returns a hint that identifies an API key and is safe to show, such as `wfq_3f9a1b0c7d2e4…7c2d`; only the last
 *   characters for a key of another kind; empty for a short key
 */
export function keyHint(apiKey: string): string {
  const parts = parseKeyText(apiKey);
  const end = apiKey.slice(-endUnits);
  if (parts) return `wfq_${parts.id}…${end}`;
  return apiKey.length - endUnits >= hiddenUnitsMin ? `…${end}` : '';
}
