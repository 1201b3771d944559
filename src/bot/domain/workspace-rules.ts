/** Rules of a workspace: granted roles and settings, and the difference between two versions. */
import type { Role } from './role.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

export type WorkspaceRules = {
  readonly settings: WorkspaceSettings;
  /** Keyed by the person's id. */
  readonly granted: ReadonlyMap<string, Role>;
};

export type RoleChange = {
  readonly userId: string;
  /** Undefined for a reader. */
  readonly before: Role | undefined;
  readonly after: Role | undefined;
};

/** Only the differences. */
export type RulesChange = {
  readonly roles: readonly RoleChange[];
  readonly settings: Partial<WorkspaceSettings>;
};

export function rulesChange(before: WorkspaceRules, after: WorkspaceRules): RulesChange {
  const people = [...new Set([...before.granted.keys(), ...after.granted.keys()])];
  const roles = people
    .map((userId) => ({ userId, before: before.granted.get(userId), after: after.granted.get(userId) }))
    .filter((role) => role.before !== role.after);
  return { roles, settings: settingsChange(before.settings, after.settings) };
}

/** Ignores the order of channels. */
function settingsChange(before: WorkspaceSettings, after: WorkspaceSettings): Partial<WorkspaceSettings> {
  const old: Readonly<Record<string, unknown>> = before;
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => spelled(old[name]) !== spelled(value)));
}

function spelled(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}
