/** Who may do what, what is laid down, and what is written down: one store, three views of it. */

import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Person } from '../../domain/person.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { Store } from '../../store/store.ts';
import { type Administration, createAdministration } from './administration.ts';
import { createRecorder, type Recorder } from './record.ts';
import { type Authorise, createRights, type RightsDeps } from './rights.ts';
import { createRules } from './rules.ts';

export type Governance = {
  readonly authorise: Authorise;
  /** What the admins of a workspace have laid down. Rejects with AppError `unavailable` where that is not known */
  readonly rulesOf: (teamId: string) => Promise<WorkspaceRules>;
  /** The part of it that they have chosen. */
  readonly settingsOf: (teamId: string) => Promise<WorkspaceSettings>;
  readonly administrationOf: (person: Person) => Administration;
  readonly record: Recorder;
  /** For a workspace that is gone. */
  readonly forgetRules: (teamId: string) => void;
};

export type GovernanceDeps = Pick<RightsDeps, 'standingOf' | 'knownStandingOf'> & {
  readonly store: Pick<Store, 'audit' | 'roles' | 'settings'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** A short id that is in an entry of the audit and in the log. */
  readonly createReference: () => string;
};

export function createGovernance(deps: GovernanceDeps): Governance {
  const rules = createRules(deps);
  const record = createRecorder({ ...deps, audit: deps.store.audit });
  return {
    authorise: createRights({ ...deps, rules, record }),
    rulesOf: rules.of,
    settingsOf: async (teamId) => (await rules.of(teamId)).settings,
    administrationOf: createAdministration({ ...deps, rules, record }),
    record,
    forgetRules: rules.forget,
  };
}
