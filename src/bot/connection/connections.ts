/** Connections of all workspaces: query clients, connecting, key health and the daily key check. */
import type { Person } from '../domain/person.ts';
import type { QueryOptions } from '../query/parameters.ts';
import type { QueryClient } from '../query/query-client.ts';
import { type Connection, type ConnectionDeps, createConnection } from './connection.ts';
import type { CredentialResolver } from './credential-resolver.ts';
import { createDailyKeyCheck, type DailyKeyCheckDeps } from './daily-key-check.ts';
import { createKeyHealth, type KeyHealthDeps } from './key-health.ts';

export type ConnectionsDeps = Omit<ConnectionDeps & KeyHealthDeps & DailyKeyCheckDeps, 'health'> & {
  readonly resolver: CredentialResolver;
};

export type Connections = {
  /** Its operations reject with AppError `unauthorized` if the workspace has no key. */
  readonly queryClientFor: (teamId: string, options: QueryOptions) => QueryClient;
  readonly connectionOf: (person: Person) => Connection;
  /** Starts the daily check of every key. */
  readonly start: () => void;
  /** Checks every due key now. Never rejects. */
  readonly round: () => Promise<void>;
  /** Waits until pending verdicts are stored. */
  readonly stop: () => Promise<void>;
};

export function createConnections(deps: ConnectionsDeps): Connections {
  const { resolver } = deps;
  const health = createKeyHealth(deps);
  const recheck = createDailyKeyCheck({ ...deps, health });
  const accessOf = async (teamId: string) => {
    const { stored, ...access } = await resolver.of(teamId);
    const onKeyChecked = (isAccepted: boolean) => stored && health.noteVerdict(stored, isAccepted);
    return { ...access, onKeyChecked };
  };
  return {
    queryClientFor: (teamId, options) => deps.query.forWorkspace(() => accessOf(teamId), options),
    connectionOf: createConnection(deps),
    start: recheck.start,
    round: recheck.round,
    stop: async () => {
      await recheck.stop();
      await health.stop();
    },
  };
}
