/** `npm run service:key -- create|list|revoke|rotate`: manages the API keys of the service. */
import './harden-process.ts';
import { createKeys } from '../query-service/keys/keys.ts';
import { createKeyManagement, type KeyManagement } from '../query-service/keys/management.ts';
import type { ManagedKey } from '../query-service/records/keys.ts';
import { parseInstant } from '../query-service/scalar-text.ts';
import { createLog } from '../shared/log/pino-logger.ts';
import { runServiceScript } from './service-script.ts';

const usage = `npm run --silent service:key -- [--database <url>] and one of
  create --organization <id> --name <name> [--member <id>] [--expires <date>]
  list [--organization <id>]
  revoke <id>
  rotate <id> [--overlap 24h] [--expires <date>]`;

const flags = {
  organization: { type: 'string' },
  name: { type: 'string' },
  member: { type: 'string' },
  expires: { type: 'string' },
  overlap: { type: 'string' },
} as const;

type Request = {
  readonly management: KeyManagement;
  readonly given: Readonly<Partial<Record<keyof typeof flags, string>>>;
  readonly id: string | undefined;
  readonly refuse: (problem: string) => never;
};

const nameUnitsMax = 100;
const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const overlapDaysMax = 90;
const columns = ['ID', 'ORGANIZATION', 'NAME', 'MEMBER', 'CREATED', 'LAST USED', 'STATE'];

/** The function and the flags of each word. */
const words = {
  create: { flags: ['organization', 'name', 'member', 'expires'], takesId: false, run: create },
  list: { flags: ['organization'], takesId: false, run: list },
  revoke: { flags: [], takesId: true, run: revoke },
  rotate: { flags: ['overlap', 'expires'], takesId: true, run: rotate },
} as const;

await runServiceScript({
  usage,
  flags,
  makesDatabase: false,
  async run({ store, flags: given, words: [name, id, ...others], refuse }) {
    const word = Object.entries(words).find(([each]) => each === name)?.[1];
    if (!word) return refuse('Name one of create, list, revoke and rotate.');
    if (others.length > 0 || word.takesId !== (id !== undefined)) {
      return refuse(word.takesId ? 'The id of one key is needed.' : 'It takes flags only.');
    }
    const own: readonly string[] = ['database', ...word.flags];
    const strange = Object.keys(given).find((flag) => !own.includes(flag));
    if (strange) return refuse(`--${strange} does not go with ${name}.`);
    const log = createLog({ level: 'info', destination: process.stderr });
    const keys = await createKeys({ keys: store.keys, clock: Date.now });
    const management = createKeyManagement({
      keys,
      keyRecords: store.keys,
      records: store.records,
      clock: Date.now,
      log,
    });
    await word.run({ management, given, id, refuse });
  },
});

async function create({ management, given, refuse }: Request): Promise<void> {
  const { organization: organizationId, member: memberId = null, expires } = given;
  const name = given.name?.trim();
  if (organizationId === undefined) return refuse('--organization is needed.');
  if (!name || name.length > nameUnitsMax || /[\p{C}\p{Zl}\p{Zp}]/u.test(name)) {
    return refuse(`--name is needed: what people will call the key, at most ${nameUnitsMax} characters on one line.`);
  }
  console.log(await management.create({ organizationId, name, memberId, expiresAt: readDate(expires, refuse) }));
}

async function list({ management, given }: Request): Promise<void> {
  const keys = await management.list(given.organization ?? null);
  console.log(keyTable(keys, Date.now()).join('\n'));
}

async function revoke({ management, id = '' }: Request): Promise<void> {
  await management.revoke(id);
  console.log(`The key ${id} no longer works.`);
}

async function rotate({ management, given, id = '', refuse }: Request): Promise<void> {
  const overlapMs = readOverlap(given.overlap ?? '24h', refuse);
  console.log(await management.rotate(id, overlapMs, readDate(given.expires, refuse)));
}

/** @returns epoch milliseconds; null without a text. A day without a time means its beginning in UTC */
function readDate(text: string | undefined, refuse: Request['refuse']): number | null {
  if (text === undefined) return null;
  const instant = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant === null) return refuse('--expires must be a date such as 2027-01-31 or 2027-01-31T12:00:00Z.');
  return instant > Date.now() ? instant : refuse('--expires must be in the future.');
}

function readOverlap(text: string, refuse: Request['refuse']): number {
  const [, amount, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(amount) * (unitsMs[unit as keyof typeof unitsMs] ?? Number.NaN);
  if (ms <= overlapDaysMax * unitsMs.d) return ms;
  return refuse(`--overlap must be such as 30m, 24h or 7d, and at most ${overlapDaysMax}d.`);
}

/** @param now epoch milliseconds @returns lines with aligned columns */
function keyTable(keys: readonly ManagedKey[], now: number): readonly string[] {
  const rows = keys.map((key) => [
    key.id,
    key.organizationId,
    key.name,
    key.memberId ?? '–',
    minute(key.createdAt),
    key.lastUsedAt === null ? 'never' : minute(key.lastUsedAt),
    stateOf(key, now),
  ]);
  const widths = columns.map((_, column) => Math.max(...[columns, ...rows].map((row) => row[column]?.length ?? 0)));
  return [columns, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function stateOf({ revokedAt, expiresAt, replacedBy }: ManagedKey, now: number): string {
  if (revokedAt !== null) return `revoked ${minute(revokedAt)}`;
  const replaced = replacedBy === null ? '' : `, replaced by ${replacedBy}`;
  if (expiresAt === null) return `valid${replaced}`;
  return `${expiresAt <= now ? 'expired' : 'valid until'} ${minute(expiresAt)}${replaced}`;
}

function minute(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 16)}Z`;
}
