/** Who may do what, for tests of something else. */
import type { DispatchDeps } from '../../src/commands/dispatch.ts';
import type { Governance, GovernanceDeps } from '../../src/commands/governance.ts';
import type { Standing } from '../../src/core/role.ts';
import { defaultSettings } from '../../src/core/workspace-settings.ts';

/** Slack says the same of everybody. */
export function everybodyIs(standing: Standing): Pick<GovernanceDeps, 'standingOf' | 'knownStandingOf'> {
  return { standingOf: async () => standing, knownStandingOf: () => standing };
}

/** Everybody may do everything, and nobody has chosen anything. */
export const openToAll: Pick<Governance, 'authorise' | 'settingsOf' | 'administrationOf'> &
  Pick<DispatchDeps, 'digestsOf'> = {
  authorise: async () => undefined,
  settingsOf: async () => defaultSettings,
  administrationOf: () => {
    throw new Error('Nobody administers anything here.');
  },
  digestsOf: () => {
    throw new Error('Nobody sets up digests here.');
  },
};
