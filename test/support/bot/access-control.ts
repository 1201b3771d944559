/** Access control for tests of other features. */

import type { AccessControl, AccessControlDeps } from '../../../src/bot/commands/access/access-control.ts';
import type { DispatchDeps } from '../../../src/bot/commands/framework/dispatch.ts';
import type { Membership } from '../../../src/bot/domain/role.ts';
import { defaultSettings } from '../../../src/bot/domain/workspace-settings.ts';

/** Slack returns the same membership for every person. */
export function everybodyIs(membership: Membership): Pick<AccessControlDeps, 'membershipOf' | 'knownMembershipOf'> {
  return { membershipOf: async () => membership, knownMembershipOf: () => membership };
}

/** Allows every command, with default settings. */
export const openToAll: Pick<AccessControl, 'authorise' | 'settingsOf' | 'administrationOf'> &
  Pick<DispatchDeps, 'digests'> = {
  authorise: async () => undefined,
  settingsOf: async () => defaultSettings,
  administrationOf: () => {
    throw new Error('Nobody administers anything here.');
  },
  // Not for commands that use digests.
  digests: {} as DispatchDeps['digests'],
};
