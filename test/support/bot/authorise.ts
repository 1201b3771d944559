/** Access control over a real store, with memberships of a test. */

import { AccessControl, type Members } from '../../../src/bot/commands/access/access-control.ts';
import {
  createWorkspaceRulesCache,
  type WorkspaceRulesCache,
} from '../../../src/bot/commands/access/workspace-rules.ts';
import type { Membership, Need, Role } from '../../../src/bot/domain/role.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import type { Store } from '../../../src/bot/store/store.ts';
import { createMemoryLog, type MemoryLog } from '../runner/memory-log.ts';
import { testRuntime } from './runtime.ts';
import { openTestStore } from './store.ts';

/** Slack returns the same membership for every person. */
export function everybodyIs(membership: Membership): Omit<Members, 'zoneOf'> {
  return { membershipOf: async () => membership, knownMembershipOf: () => membership, knownAdminIds: () => [] };
}

export type TestRights = {
  readonly store: Store;
  readonly rules: WorkspaceRulesCache;
  readonly authorise: AccessControl['authorise'];
  readonly adminIds: AccessControl['adminIds'];
  /** @returns the sentence of the refusal, or `allowed`; and how often Slack was asked about anybody so far */
  readonly may: (userId: string, needs: Need, channelId?: string) => Promise<readonly [string, number]>;
  readonly grant: (userId: string, role: Role) => Promise<void>;
  readonly time: { now: number };
  /** By the person's id; for others Slack fails. */
  readonly memberships: Map<string, Membership>;
  readonly log: MemoryLog;
};

export async function testRights(url?: string): Promise<TestRights> {
  const store = await openTestStore(url);
  const time = { now: 1_000_000 };
  const log = createMemoryLog();
  const runtime = testRuntime(() => time.now, log.log);
  const memberships = new Map<string, Membership>();
  const known = new Set<string>();
  const rules = createWorkspaceRulesCache(store, runtime);
  let asked = 0;
  const membershipOf = async ({ userId }: { readonly userId: string }) => {
    if (!known.has(userId)) asked += 1;
    const membership = memberships.get(userId);
    if (!membership) throw new Error('Slack does not say.');
    known.add(userId);
    return membership;
  };
  const members: Members = {
    membershipOf,
    knownMembershipOf: ({ userId }) => (known.has(userId) ? memberships.get(userId) : undefined),
    knownAdminIds: () => [...known].filter((userId) => memberships.get(userId) === 'admin'),
    zoneOf: async () => 'Etc/UTC',
  };
  const access = new AccessControl({ runtime, store, audit: createAuditLog(store, runtime), rules, members });
  const authorise: AccessControl['authorise'] = (command, actor) => access.authorise(command, actor);
  const may: TestRights['may'] = async (userId, needs, channelId = 'C1') => {
    const actor = { teamId: 'T1', userId, channelId };
    const sentence = await authorise({ name: 'a-command', needs }, actor).then(
      () => 'allowed',
      ({ publicMessage }) => publicMessage,
    );
    return [sentence, asked];
  };
  const grant = async (userId: string, role: Role) => {
    await store.roles.grant('T1', { userId, role, grantedBy: 'UADMIN', grantedAt: time.now });
    rules.forget('T1');
  };
  const adminIds: AccessControl['adminIds'] = (teamId) => access.adminIds(teamId);
  return { store, rules, authorise, adminIds, may, grant, time, memberships, log };
}
