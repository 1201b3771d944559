/** API keys: created, shown once, stored as keyed hashes, and checked for every request. */
import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import { type ApiKeyFields, keyChecksum, parseKeyText } from '../../shared/key-shape.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { KeyRecords, KeyRow } from '../records/keys.ts';

/** The caller that a key identifies. */
export type Caller = {
  readonly keyId: string;
  readonly organizationId: string;
  /** The account of the key; null if it has none. */
  readonly memberId: string | null;
};

export type NewKey = {
  readonly organizationId: string;
  /** Display name of the key. */
  readonly name: string;
  /** The member that the key belongs to; none by default. */
  readonly memberId?: string | null;
  /** Epoch milliseconds; never by default. */
  readonly expiresAt?: number | null;
};

export type Keys = {
  /** @returns the text of the key, which is not stored, and its id */
  create(key: NewKey): Promise<{ readonly id: string; readonly text: string }>;
  revoke(organizationId: string, id: string): Promise<void>;
  /**
   * Replaces a key by a new one of the same organization.
   * @param until end of the old key, epoch milliseconds
   * @returns null, and creates nothing, if the old one was already revoked or replaced
   */
  replace(id: string, until: number, key: NewKey): Promise<{ readonly id: string; readonly text: string } | null>;
  /**
   * @param authorization the only Authorization header; undefined if there is none, or several
   * @returns null for every failure; a promise if the look-up of the key returned one
   */
  authenticate(authorization: string | undefined): Caller | null | Promise<Caller | null>;
};

/** Compared with a key of an unknown id, so that the check always takes the same time. */
const noHash = '0'.repeat(64);

export type KeysDeps = {
  /** Stores keys, and the secret of the keyed hashes (docs/decisions/0003). */
  readonly keys: KeyRecords;
  readonly clock: Clock;
  /** Called with the id of each key that authenticated. */
  readonly onUse?: (id: string) => void;
};

export async function createKeys(deps: KeysDeps): Promise<Keys> {
  const pepperHex = await deps.keys.storedSecret('key-pepper', () => randomBytes(32).toString('hex'));
  // Created once, because preparing the key takes nine tenths of the time of an HMAC.
  const pepper = createSecretKey(pepperHex, 'hex');
  const hashOf = (secret: string) => createHmac('sha256', pepper).update(secret).digest();
  const isHashOf = createHashCheck(hashOf);
  const made = ({ organizationId, name, memberId = null, expiresAt = null }: NewKey) => {
    const { id, secret, text } = generateKey();
    const hash = hashOf(secret).toString('hex');
    const createdAt = deps.clock();
    return { text, record: { id, organizationId, memberId, name, hash, createdAt, expiresAt, revokedAt: null } };
  };
  return {
    async create(key) {
      const { text, record } = made(key);
      await deps.keys.putKey(record);
      return { id: record.id, text };
    },
    async replace(id, until, key) {
      const { text, record } = made(key);
      return (await deps.keys.replaceKey(id, until, record)) ? { id: record.id, text } : null;
    },
    async revoke(organizationId, id) {
      await deps.keys.revokeKey(organizationId, id, deps.clock());
    },
    authenticate(authorization) {
      const parsed = parseAuthorization(authorization);
      const callerOf = (row: KeyRow | null): Caller | null => {
        const isSame = isHashOf(parsed?.secret ?? '', row?.hash ?? noHash);
        if (row === null || !isSame || !isUsable(row, deps.clock())) return null;
        deps.onUse?.(row.id);
        return { keyId: row.id, organizationId: row.organizationId, memberId: row.memberId };
      };
      const row = deps.keys.key(parsed?.id ?? '');
      return row instanceof Promise ? row.then(callerOf) : callerOf(row);
    },
  };
}

const checkedMax = 10_000;

/**
 * Remembers digests of secrets that it found to belong to their hashes: a digest takes a tenth of the time of the keyed hash.
 * @returns a function that returns true if a hash is the keyed hash of a secret
 */
function createHashCheck(hashOf: (secret: string) => Buffer) {
  const digests = createLruCache<Buffer>({ entriesMax: checkedMax });
  return (secret: string, hashHex: string): boolean => {
    const digest = Buffer.from(hash('sha256', secret), 'latin1');
    const known = digests.get(hashHex);
    if (known && timingSafeEqual(digest, known)) return true;
    const isSame = timingSafeEqual(hashOf(secret), Buffer.from(hashHex, 'hex'));
    if (isSame) digests.set(hashHex, digest);
    return isSame;
  };
}

/** Accepts the scheme in any case and one token. */
function parseAuthorization(authorization = '') {
  const token = /^apikey +(\S+)$/i.exec(authorization.trim())?.[1];
  return token === undefined ? null : parseKeyText(token);
}

function isUsable(row: KeyRow, now: number): boolean {
  return (
    row.revokedAt === null &&
    (row.expiresAt === null || row.expiresAt > now) &&
    row.restrictionStatus === 'FULL_ACCESS' &&
    row.activeStatus === 'ACTIVE'
  );
}

/** @returns a new key's text and parts */
export function generateKey(): ApiKeyFields & { readonly text: string } {
  const id = base36(randomBytes(8), 13);
  const secret = base36(randomBytes(32), 50);
  return { id, secret, text: `wfq_${id}_${secret}${keyChecksum(id, secret)}` };
}

function base36(bytes: Buffer, length: number): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(36)
    .padStart(length, '0');
}
