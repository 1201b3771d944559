/** Who may do what, for tests of something else. */

import type { Governance, GovernanceDeps } from '../../src/bot/commands/access/governance.ts';
import type { DispatchDeps } from '../../src/bot/commands/framework/dispatch.ts';
import type { Standing } from '../../src/bot/domain/role.ts';
import { defaultSettings } from '../../src/bot/domain/workspace-settings.ts';

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
