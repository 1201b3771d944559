/** Administration of a workspace: read and change roles and settings, read the audit. */
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Person } from '../../domain/person.ts';
import { type RulesChange, rulesChange, type WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { AuditEntry } from '../../store/repositories/audit.ts';
import type { Store } from '../../store/store.ts';
import { readRules, type WorkspaceRulesCache } from './workspace-rules-cache.ts';

/** For one person in their workspace. The caller has checked that they are an admin. */
export type Administration = {
  /** Reads the store, not the cache. */
  readonly rules: () => Promise<WorkspaceRules>;
  /** Takes effect at once in this process, within a minute in others. @returns the differences */
  readonly change: (wanted: WorkspaceRules) => Promise<RulesChange>;
  /** Newest first. @param before as `Audit.page` */
  readonly entries: (count: number, before?: number) => Promise<readonly AuditEntry[]>;
  /** As `Audit.firstBroken`. */
  readonly firstBroken: () => Promise<number | undefined>;
};

export type AdministrationDeps = {
  readonly store: Pick<Store, 'audit' | 'roles' | 'settings'>;
  readonly rules: Pick<WorkspaceRulesCache, 'forget'>;
  readonly record: AuditRecorder;
  readonly clock: Clock;
};

export function createAdministration(deps: AdministrationDeps): (person: Person) => Administration {
  const { store } = deps;
  return (person) => ({
    rules: () => readRules(store, person.teamId),
    change: async (wanted) => {
      const change = rulesChange(await readRules(store, person.teamId), wanted);
      try {
        await changeRoles(deps, person, change);
        await changeSettings(deps, person, change);
      } finally {
        deps.rules.forget(person.teamId);
      }
      return change;
    },
    entries: (count, before) => store.audit.page(person.teamId, count, before),
    firstBroken: () => store.audit.firstBroken(person.teamId),
  });
}

async function changeRoles(
  { store, record, clock }: AdministrationDeps,
  { teamId, userId: grantedBy }: Person,
  { roles }: RulesChange,
): Promise<void> {
  const actor = { teamId, userId: grantedBy };
  for (const { userId, before, after } of roles) {
    if (after === undefined) {
      await store.roles.revoke(teamId, userId);
      await record(actor, 'role revoked', { from: userId, role: before ?? 'reader' });
    } else {
      await store.roles.grant(teamId, { userId, role: after, grantedBy, grantedAt: clock() });
      await record(actor, 'role granted', { to: userId, role: after, before: before ?? 'reader' });
    }
  }
}

async function changeSettings(
  { store, record, clock }: AdministrationDeps,
  person: Person,
  { settings }: RulesChange,
): Promise<void> {
  const changed = Object.entries(settings);
  if (changed.length === 0) return;
  await store.settings.change(person.teamId, settings, person.userId, clock());
  const told: Readonly<Record<string, string>> = settingNames;
  const detail = changed.map(([name, value]) => [told[name] ?? name, inWords(value)]);
  await record(person, 'settings changed', Object.fromEntries(detail));
}

/** Names of the settings in the audit. */
const settingNames = {
  defaultVisibility: 'answers',
  readerChannels: 'everybody asks',
  logChannels: 'logs',
  guestReaders: 'guests who may ask',
  isRedacting: 'secrets',
} as const satisfies Record<keyof WorkspaceSettings, string>;

function inWords(value: boolean | string | readonly string[] | null): string {
  if (value === null) return 'everywhere';
  if (typeof value === 'boolean') return value ? 'masked' : 'shown';
  if (typeof value === 'string') return value;
  return value.length === 0 ? 'nowhere' : value.join(', ');
}
