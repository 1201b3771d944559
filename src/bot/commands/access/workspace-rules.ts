/** Roles and settings of workspaces: a cache for every command, and administration. */

import { createStaleWhileErrorCache, type StaleWhileErrorCache } from '../../../shared/cache/stale-while-error.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Person } from '../../domain/person.ts';
import { type RulesChange, rulesChange, type WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { AuditedChange } from '../../store/audit-recorder.ts';
import type { AuditEntry } from '../../store/repositories/audit.ts';
import type { Store, StoreStep } from '../../store/store.ts';

/** A change is visible at once in the process that made it, within a minute in others. */
export type WorkspaceRulesCache = StaleWhileErrorCache<WorkspaceRules>;

export type WorkspaceRulesCacheDeps = {
  readonly store: Pick<Store, 'roles' | 'settings'>;
  readonly clock: Clock;
  readonly log: Logger;
};

const lifetimeMs = 60_000;

export function createWorkspaceRulesCache({ store, clock, log }: WorkspaceRulesCacheDeps): WorkspaceRulesCache {
  return createStaleWhileErrorCache({
    read: (teamId) => readRules(store, teamId),
    lifetimeMs,
    clock,
    onFailure: (teamId, cause) => log.error({ teamId, err: cause }, 'rules of a workspace could not be read'),
    sentence: 'The bot cannot read this workspace’s permissions right now.',
  });
}

/** Reads the store, not the cache. */
async function readRules(
  { roles, settings }: WorkspaceRulesCacheDeps['store'],
  teamId: string,
): Promise<WorkspaceRules> {
  // One after the other, since a transaction has one connection.
  const chosen = await settings.read(teamId);
  const grants = await roles.list(teamId);
  return { settings: chosen, granted: new Map(grants.map(({ userId, role }) => [userId, role])) };
}

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
  readonly audited: AuditedChange;
  readonly clock: Clock;
};

export function createAdministration(deps: AdministrationDeps): (person: Person) => Administration {
  const { store } = deps;
  return (person) => ({
    rules: () => readRules(store, person.teamId),
    change: async (wanted) => {
      try {
        return await deps.audited(async (step, record) => {
          const change = rulesChange(await readRules(step, person.teamId), wanted);
          const at = deps.clock();
          await changeRoles(step, record, { person, change, at });
          await changeSettings(step, record, { person, change, at });
          return change;
        });
      } finally {
        deps.rules.forget(person.teamId);
      }
    },
    entries: (count, before) => store.audit.page(person.teamId, count, before),
    firstBroken: () => store.audit.firstBroken(person.teamId),
  });
}

type Changing = { readonly person: Person; readonly change: RulesChange; readonly at: number };

async function changeRoles(
  { roles }: Pick<StoreStep, 'roles'>,
  record: AuditRecorder,
  { person, change, at: grantedAt }: Changing,
): Promise<void> {
  const { teamId, userId: grantedBy } = person;
  for (const { userId, before, after } of change.roles) {
    if (after === undefined) {
      await roles.revoke(teamId, userId);
      await record(person, 'role revoked', { from: userId, role: before ?? 'reader' });
    } else {
      await roles.grant(teamId, { userId, role: after, grantedBy, grantedAt });
      await record(person, 'role granted', { to: userId, role: after, before: before ?? 'reader' });
    }
  }
}

async function changeSettings(
  { settings }: Pick<StoreStep, 'settings'>,
  record: AuditRecorder,
  { person, change, at }: Changing,
): Promise<void> {
  const changed = Object.entries(change.settings);
  if (changed.length === 0) return;
  await settings.change(person.teamId, change.settings, person.userId, at);
  const names: Readonly<Record<string, string>> = settingNames;
  const detail = changed.map(([name, value]) => [names[name] ?? name, inWords(value)]);
  await record(person, 'settings changed', Object.fromEntries(detail));
}

/** Names of the settings in the audit. */
const settingNames = {
  defaultVisibility: 'answers',
  readerChannels: 'members ask in',
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
