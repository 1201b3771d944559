/** Keys as a table for people: what each is for, and whether it still works. */
import type { KeptKey } from '../records/keys.ts';

const head = ['ID', 'ORGANIZATION', 'NAME', 'MEMBER', 'CREATED', 'LAST USED', 'STATE'];

/** @param now epoch milliseconds @returns lines, columns in line */
export function keyTable(keys: readonly KeptKey[], now: number): readonly string[] {
  const rows = keys.map((key) => [
    key.id,
    key.organizationId,
    key.name,
    key.memberId ?? '–',
    minute(key.createdAt),
    key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
    stateOf(key, now),
  ]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function stateOf({ revokedAt, expiresAt, replacedBy }: KeptKey, now: number): string {
  if (revokedAt !== null) return `revoked ${minute(revokedAt)}`;
  const replaced = replacedBy === null ? '' : `, replaced by ${replacedBy}`;
  if (expiresAt === null) return `valid${replaced}`;
  return `${expiresAt <= now ? 'expired' : 'valid until'} ${minute(expiresAt)}${replaced}`;
}

function minute(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`;
}
