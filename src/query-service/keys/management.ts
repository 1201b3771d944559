/** Key management for operators: checks who may get a key, and logs every change without the key. */

import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { KeyRecords, ManagedKey } from '../records/keys.ts';
import type { Lookups } from '../records/reads/read-people.ts';
import type { Keys, NewKey } from './keys.ts';

export type KeyManagement = {
  /** @returns the key's text, which is shown once @throws AppError for an organization or a member that may not have keys */
  create(key: NewKey): Promise<string>;
  /** @param organizationId null for every organization */
  list(organizationId: string | null): Promise<readonly ManagedKey[]>;
  /** @throws AppError `not_found`. A revoked key stays revoked. */
  revoke(id: string): Promise<void>;
  /**
   * Replaces a key. The old key works for a while longer, but not beyond its own end.
   * @param expiresAt null for the lifetime of the old key
   * @returns the new key's text
   * @throws AppError for a key that is revoked, expired or already rotated
   */
  rotate(id: string, overlapMs: number, expiresAt: number | null): Promise<string>;
};

export type KeyManagementDeps = {
  readonly keys: Pick<Keys, 'create' | 'replace' | 'revoke'>;
  readonly keyRecords: Pick<KeyRecords, 'keys' | 'managedKey'>;
  readonly records: Pick<Lookups, 'organization' | 'account'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
};

export function createKeyManagement({ keys, keyRecords, records, clock, log }: KeyManagementDeps): KeyManagement {
  const keyOf = async (id: string) => {
    const key = await keyRecords.managedKey(id);
    if (key === null)
      throw new AppError('not_found', `There is no API key ${id}.`, {
        hint: 'npm run service:key -- list shows the ids.',
      });
    return key;
  };
  return {
    async create(key) {
      await refuseIneligible(records, key);
      const { id, text } = await keys.create(key);
      log.info({ keyId: id, ...facts(key) }, 'key created');
      return text;
    },
    list: keyRecords.keys,
    async revoke(id) {
      const { organizationId } = await keyOf(id);
      await keys.revoke(organizationId, id);
      log.info({ keyId: id, organizationId }, 'key revoked');
    },
    async rotate(id, overlapMs, expiresAt) {
      const old = await keyOf(id);
      const now = clock();
      refuseEnded(old, now);
      const { organizationId, memberId, name } = old;
      const sameLife = old.expiresAt === null ? null : now + old.expiresAt - old.createdAt;
      const key = { organizationId, memberId, name, expiresAt: expiresAt ?? sameLife };
      await refuseIneligible(records, key);
      const until = Math.min(now + overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
      const made = await keys.replace(id, until, key);
      if (made === null) throw new AppError('usage', `The key ${id} was revoked or rotated meanwhile.`);
      log.info({ keyId: made.id, replaces: id, oldWorksUntil: iso(until), ...facts(key) }, 'key rotated');
      return made.text;
    },
  };
}

function facts({ organizationId, memberId = null, expiresAt = null }: NewKey) {
  return { organizationId, memberId, expiresAt: expiresAt === null ? null : iso(expiresAt) };
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}

function refuseEnded(key: ManagedKey, now: number): void {
  const hint = 'create makes a new one.';
  if (key.revokedAt !== null) throw new AppError('usage', `The key ${key.id} is revoked.`, { hint });
  if (key.replacedBy !== null) {
    throw new AppError('usage', `The key ${key.id} was rotated already: ${key.replacedBy} replaced it.`);
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    throw new AppError('usage', `The key ${key.id} has expired.`, { hint });
  }
}

async function refuseIneligible(records: KeyManagementDeps['records'], key: NewKey): Promise<void> {
  const { organizationId, memberId = null } = key;
  const organization = await records.organization(organizationId);
  if (organization === null) {
    throw new AppError('not_found', `There is no organization ${organizationId}.`, {
      hint: 'Import the organization first.',
    });
  }
  const { activeStatus, restrictionStatus } = organization;
  if (activeStatus !== 'ACTIVE' || restrictionStatus !== 'FULL_ACCESS') {
    const status = activeStatus === 'ACTIVE' ? restrictionStatus : activeStatus;
    const sentence = `The organization ${organizationId} is ${status}: only active organizations with FULL_ACCESS can have keys.`;
    throw new AppError('forbidden', sentence);
  }
  if (memberId === null) return;
  const account = await records.account(organizationId, memberId);
  if (account === null) throw new AppError('not_found', `${organizationId} has no member ${memberId}.`);
  if (account.memberStatus !== 'JOINED') {
    throw new AppError(
      'forbidden',
      `The member ${memberId} is ${account.memberStatus}: only members with the status JOINED can have keys.`,
    );
  }
}
