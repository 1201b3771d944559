/** What a workspace's admins have laid down, at hand without asking the store each time. */
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { WorkspaceRules } from '../core/workspace-rules.ts';
import type { Store } from '../store/store.ts';

export type Rules = {
  /**
   * What holds, or what held a minute ago at the most; while the store is down, what held last: nobody can change it then.
   * Without any I/O where it is at hand. Rejects with AppError `unavailable` where nothing is known
   */
  readonly of: (teamId: string) => Promise<WorkspaceRules>;
  /** For whoever has changed something: what is at hand counts no more. */
  readonly forget: (teamId: string) => void;
};

export type RulesDeps = {
  readonly store: Pick<Store, 'roles' | 'settings'>;
  readonly clock: Clock;
  readonly log: Logger;
};

const lifetimeMs = 60_000;
/** A store that is down is not asked for every command. */
const pauseMs = 5_000;
/** A person waits three seconds at the most, and something may still have to be done. */
const patienceMs = 1_000;
const workspacesMax = 5_000;

type Held = { readonly rules: Promise<WorkspaceRules>; until: number };

export function createRules({ store, clock, log }: RulesDeps): Rules {
  const held = new Map<string, Held>();
  const read = async (teamId: string, earlier: Held | undefined, onRead: () => void): Promise<WorkspaceRules> => {
    try {
      const rules = await inTime(readRules(store, teamId));
      onRead();
      return rules;
    } catch (cause) {
      log.error({ teamId, err: cause }, 'rules of a workspace could not be read');
      if (earlier) return earlier.rules;
      throw notKnown(cause);
    }
  };
  return {
    of: (teamId) => {
      const earlier = held.get(teamId);
      const now = clock();
      if (earlier && now < earlier.until) return earlier.rules;
      const onRead = () => {
        entry.until = now + lifetimeMs;
      };
      const entry: Held = { rules: read(teamId, earlier, onRead), until: now + pauseMs };
      held.delete(teamId);
      held.set(teamId, entry);
      const [oldest] = held.keys();
      if (held.size > workspacesMax && oldest !== undefined) held.delete(oldest);
      return entry.rules;
    },
    forget: (teamId) => void held.delete(teamId),
  };
}

/** As the store has them now. */
export async function readRules({ roles, settings }: RulesDeps['store'], teamId: string): Promise<WorkspaceRules> {
  const [chosen, grants] = await Promise.all([settings.read(teamId), roles.list(teamId)]);
  return { settings: chosen, granted: new Map(grants.map(({ userId, role }) => [userId, role])) };
}

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The store did not answer in time.')), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function notKnown(cause: unknown): AppError {
  return new AppError('unavailable', 'I cannot look up what is allowed in this workspace right now.', {
    hint: 'Please try again in a minute.',
    isRetryable: true,
    cause,
  });
}
