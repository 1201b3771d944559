/** Roles and settings of workspaces: a cache for every command, and changes with their audit entries. */

import { createStaleWhileErrorCache, type StaleWhileErrorCache } from '../../../shared/cache/stale-while-error.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Person } from '../../domain/person.ts';
import type { Runtime } from '../../domain/runtime.ts';
import { type RulesChange, rulesChange, type WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { StoreStep } from '../../store/store.ts';

/** A change is visible at once in the process that made it, within a minute in others. */
export type WorkspaceRulesCache = StaleWhileErrorCache<WorkspaceRules>;

const lifetimeMs = 60_000;

export function createWorkspaceRulesCache(store: StoreStep, { clock, log }: Runtime): WorkspaceRulesCache {
  return createStaleWhileErrorCache({
    read: (teamId) => readRules(store, teamId),
    lifetimeMs,
    clock,
    onFailure: (teamId, cause) => log.error({ teamId, err: cause }, 'settings of a workspace could not be read'),
    sentence: 'The bot cannot read its settings for this workspace right now.',
  });
}

/** Reads the store, not the cache. */
export async function readRules({ roles, settings }: StoreStep, teamId: string): Promise<WorkspaceRules> {
  // One after the other, since a transaction has one connection.
  const chosen = await settings.read(teamId);
  const grants = await roles.list(teamId);
  return { settings: chosen, granted: new Map(grants.map(({ userId, role }) => [userId, role])) };
}

/** @returns the differences, which are recorded in the audit */
export async function changeRules(
  step: StoreStep,
  record: AuditRecorder,
  { person, wanted, at }: { readonly person: Person; readonly wanted: WorkspaceRules; readonly at: number },
): Promise<RulesChange> {
  const { teamId, userId: grantedBy } = person;
  const change = rulesChange(await readRules(step, teamId), wanted);
  for (const { userId, before = 'reader', after } of change.roles) {
    if (after === undefined) {
      await step.roles.revoke(teamId, userId);
      await record(person, 'role revoked', { from: userId, role: before });
    } else {
      await step.roles.grant(teamId, { userId, role: after, grantedBy, grantedAt: at });
      await record(person, 'role granted', { to: userId, role: after, before });
    }
  }
  const changed = Object.entries(change.settings);
  if (changed.length === 0) return change;
  await step.settings.change(teamId, change.settings, grantedBy, at);
  const names: Readonly<Record<string, string>> = settingNames;
  const detail = changed.map(([name, value]) => [names[name] ?? name, inWords(value)]);
  await record(person, 'settings changed', Object.fromEntries(detail));
  return change;
}

/** Names of the settings in the audit. */
const settingNames = {
  defaultVisibility: 'answers',
  readerChannels: 'members',
  logChannels: 'logs',
  guestReaders: 'guests',
  isRedacting: 'secrets',
} as const satisfies Record<keyof WorkspaceSettings, string>;

function inWords(value: boolean | string | readonly string[] | null): string {
  if (value === null) return 'everywhere';
  if (typeof value === 'boolean') return value ? 'masked' : 'shown';
  if (typeof value === 'string') return value;
  return value.length === 0 ? 'only in direct messages' : value.join(', ');
}
