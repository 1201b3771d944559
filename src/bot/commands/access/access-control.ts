/** Access control of workspaces: authorisation, settings and roles, administration and the audit. */

import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Person } from '../../domain/person.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { Store } from '../../store/store.ts';
import { type Administration, createAdministration } from './administration.ts';
import { type AuditRecorderDeps, createAuditRecorder } from './audit-recorder.ts';
import { type Authorise, type AuthoriseDeps, createAuthorise } from './authorise.ts';
import {
  createWorkspaceRulesCache,
  type WorkspaceRulesCache,
  type WorkspaceRulesCacheDeps,
} from './workspace-rules-cache.ts';

export type AccessControl = {
  readonly authorise: Authorise;
  /** Roles and settings of a workspace. Rejects with AppError `unavailable` if they are not known. */
  readonly rulesOf: (teamId: string) => Promise<WorkspaceRules>;
  /** The settings alone. */
  readonly settingsOf: (teamId: string) => Promise<WorkspaceSettings>;
  readonly administrationOf: (person: Person) => Administration;
  readonly record: AuditRecorder;
};

/** The part of access control that asks nobody who a person is. */
export type AccessRecords = { readonly rules: WorkspaceRulesCache; readonly record: AuditRecorder };

export type AccessRecordsDeps = WorkspaceRulesCacheDeps &
  Omit<AuditRecorderDeps, 'audit'> & {
    readonly store: Pick<Store, 'audit'>;
  };

export function createAccessRecords(deps: AccessRecordsDeps): AccessRecords {
  return { rules: createWorkspaceRulesCache(deps), record: createAuditRecorder({ ...deps, audit: deps.store.audit }) };
}

export type AccessControlDeps = AccessRecords &
  Pick<AuthoriseDeps, 'membershipOf' | 'knownMembershipOf'> & {
    readonly store: Pick<Store, 'audit' | 'roles' | 'settings'>;
    readonly clock: Clock;
    readonly log: Logger;
  };

export function createAccessControl(deps: AccessControlDeps): AccessControl {
  const { rules, record } = deps;
  return {
    authorise: createAuthorise(deps),
    rulesOf: rules.of,
    settingsOf: async (teamId) => (await rules.of(teamId)).settings,
    administrationOf: createAdministration(deps),
    record,
  };
}
