/** Per-workspace cache of roles and settings. */
import { createStaleWhileErrorCache, type StaleWhileErrorCache } from '../../../shared/cache/stale-while-error.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { Store } from '../../store/store.ts';

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
    sentence: 'I cannot look up what is allowed in this workspace right now.',
  });
}

/** Reads the store, not the cache. */
export async function readRules(
  { roles, settings }: WorkspaceRulesCacheDeps['store'],
  teamId: string,
): Promise<WorkspaceRules> {
  const [chosen, grants] = await Promise.all([settings.read(teamId), roles.list(teamId)]);
  return { settings: chosen, granted: new Map(grants.map(({ userId, role }) => [userId, role])) };
}
