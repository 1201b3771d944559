/** Repository of the audit: entries are only added, and each contains a hash of the one before it. */

import { createHash } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { parseJson } from '../../../shared/json.ts';
import { safeText } from '../../../shared/redaction/redact.ts';
import { changesOne, type Dialect } from '../dialect.ts';
import type { AuditTable, Tables } from '../tables.ts';

export type AuditEntry = {
  /** Number of the entry, from 1 without a gap. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Slack's id of the person. */
  readonly userId: string;
  /** For example `connect`. */
  readonly action: string;
  /** Object of the action; never a secret. */
  readonly detail: Readonly<Record<string, Fact>>;
};

type Fact = string | number | boolean;

export type AuditHead = { readonly number: number; readonly hash: string };

type Row = Selectable<AuditTable>;

/** A year and a month. */
const keptMs = 400 * 86_400_000;

export function createAudit(db: Kysely<Tables>, dialect: Dialect) {
  const entries = db.selectFrom('audit').selectAll();
  return {
    /**
     * Masks text in the detail that looks like a secret.
     * @returns number and hash of the entry; a copy outside the store reveals the deletion of the newest entries
     */
    async add(teamId: string, { detail, ...entry }: Omit<AuditEntry, 'number'>): Promise<AuditHead> {
      const safe = Object.entries(detail).map(([name, value]) => [
        name,
        typeof value === 'string' ? safeText(value) : value,
      ]);
      const row = { teamId, ...entry, detail: JSON.stringify(Object.fromEntries(safe)) };
      for (;;) {
        const head = await append(db, row);
        if (head) return head;
      }
    },
    /**
     * @returns up to `count`, newest first
     * @param before number of the last entry of the previous page; undefined for the first page
     */
    async page(teamId: string, count: number, before: number = Number.MAX_SAFE_INTEGER) {
      const page = entries.where('teamId', '=', teamId).where('number', '<', before);
      const rows = await page.orderBy('number', 'desc').limit(count).execute();
      return rows.map(entryOf);
    },
    /**
     * Entries that expired are not missing: the newest of them stays, and the others follow from it.
     * @returns the number of the first entry that is missing or was changed from outside; undefined if there is none
     */
    async firstBroken(teamId: string) {
      const expired = entries.where('teamId', '=', teamId).where('at', '<', dialect.after(-keptMs));
      let last = (await expired.orderBy('number').limit(1).executeTakeFirst()) ?? { number: 0, hash: '' };
      for (;;) {
        const next = entries.where('teamId', '=', teamId).where('number', '>', last.number).orderBy('number');
        const rows = await next.limit(500).execute();
        if (rows.length === 0) return undefined;
        for (const row of rows) {
          if (row.number !== last.number + 1 || row.hash !== hashOf(row, last.hash)) return last.number + 1;
          last = row;
        }
      }
    },
  };
}

/** Deletes expired entries but the newest, with which the chain of the others begins. */
export async function deleteExpiredAudit(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const before = dialect.after(-keptMs);
  const newest = sql`select max(number) from audit as expired where expired.team_id = audit.team_id and expired.at < ${before}`;
  await sql`delete from audit where at < ${before} and number < (${newest})`.execute(db);
}

/** @returns undefined if another writer took the number meanwhile */
async function append(db: Kysely<Tables>, entry: Omit<Row, 'number' | 'hash'>): Promise<AuditHead | undefined> {
  const own = db.selectFrom('audit').select(['number', 'hash']).where('teamId', '=', entry.teamId);
  const last = await own.orderBy('number', 'desc').limit(1).executeTakeFirst();
  const row = { ...entry, number: (last?.number ?? 0) + 1 };
  const hash = hashOf(row, last?.hash ?? '');
  const insert = db.insertInto('audit').values({ ...row, hash });
  const isNew = await changesOne(insert.onConflict((conflict) => conflict.columns(['teamId', 'number']).doNothing()));
  return isNew ? { number: row.number, hash } : undefined;
}

function hashOf({ teamId, number, at, userId, action, detail }: Omit<Row, 'hash'>, before: string): string {
  return createHash('sha256')
    .update(JSON.stringify([before, teamId, number, at, userId, action, detail]))
    .digest('base64url');
}

/** Reads as much as possible of an entry that was changed from outside, so that the audit can be shown. */
function entryOf({ number, at, userId, action, detail }: Row): AuditEntry {
  const facts = Object.entries(Object(parseJson(detail))).filter((fact): fact is [string, Fact] =>
    ['string', 'number', 'boolean'].includes(typeof fact[1]),
  );
  return { number, at, userId, action, detail: Object.fromEntries(facts) };
}
