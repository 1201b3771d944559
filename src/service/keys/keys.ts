/** Keys: made once and shown once, kept as keyed hashes, checked at the door of every request. */
import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { parseKeyText } from '../../core/key-shape.ts';
import type { KeyRecords, KeyRow } from '../records/port.ts';
import { makeKeyText } from './key-text.ts';

/** Who asks, as their key says. */
export type Caller = {
  readonly organizationId: string;
  /** The account behind the key; null where there is none. */
  readonly memberId: string | null;
};

export type NewKey = {
  readonly organizationId: string;
  /** What people call it. */
  readonly name: string;
  /** Whose key it is; none where left out. */
  readonly memberId?: string | null;
  /** Epoch milliseconds; never where left out. */
  readonly expiresAt?: number | null;
};

export type Keys = {
  /** @returns the key's text, which is nowhere kept, and the id to revoke it by */
  create(key: NewKey): Promise<{ readonly id: string; readonly text: string }>;
  revoke(organizationId: string, id: string): Promise<void>;
  /** @param authorization what stood in the Authorization headers @returns null for every cause alike */
  authenticate(authorization: readonly string[]): Promise<Caller | null>;
};

/** What a key is compared with when there is none of that id, so that this takes as long. */
const noHash = '0'.repeat(64);

/** @param deps.keys where keys are kept; the secret that hashes are keyed with lies there too (docs/decisions/0003) */
export async function createKeys(deps: { readonly keys: KeyRecords; readonly clock: Clock }): Promise<Keys> {
  const kept = await deps.keys.keptSecret('key-pepper', () => randomBytes(32).toString('hex'));
  // Made once: a key object spares the nine tenths of an HMAC that preparing its key costs.
  const pepper = createSecretKey(kept, 'hex');
  const hashOf = (secret: string) => createHmac('sha256', pepper).update(secret).digest();
  return {
    async create({ organizationId, name, memberId = null, expiresAt = null }) {
      const { id, secret, text } = makeKeyText();
      const hash = hashOf(secret).toString('hex');
      const createdAt = deps.clock();
      await deps.keys.putKey({ id, organizationId, memberId, name, hash, createdAt, expiresAt, revokedAt: null });
      return { id, text };
    },
    async revoke(organizationId, id) {
      await deps.keys.revokeKey(organizationId, id, deps.clock());
    },
    async authenticate(authorization) {
      const parts = keyParts(authorization);
      const row = await deps.keys.key(parts?.id ?? '');
      const isSame = timingSafeEqual(hashOf(parts?.secret ?? ''), Buffer.from(row?.hash ?? noHash, 'hex'));
      return row !== null && isSame && isUsable(row, deps.clock())
        ? { organizationId: row.organizationId, memberId: row.memberId }
        : null;
    },
  };
}

/** One header, the scheme in any case, one token. */
function keyParts(authorization: readonly string[]) {
  const [header, ...others] = authorization;
  const token = /^apikey +(\S+)$/i.exec(header?.trim() ?? '')?.[1];
  return token === undefined || others.length > 0 ? null : parseKeyText(token);
}

function isUsable(row: KeyRow, now: number): boolean {
  return (
    row.revokedAt === null &&
    (row.expiresAt === null || row.expiresAt > now) &&
    row.restrictionStatus === 'FULL_ACCESS' &&
    row.activeStatus === 'ACTIVE'
  );
}
