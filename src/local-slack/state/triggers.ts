/** `trigger_id`: lets the app open one modal within three seconds of a person's action. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Workspace } from './workspace.ts';

/** The action that a trigger id comes from. */
export type TriggerContext = {
  readonly workspace: Workspace;
  readonly userId: string;
  /** Null outside of conversations. */
  readonly channelId: string | null;
  /** The view of the action; null for other actions. */
  readonly viewId: string | null;
};

type TriggerError = 'invalid_trigger_id' | 'expired_trigger_id' | 'exchanged_trigger_id';

export type Triggers = {
  readonly issue: (trigger: TriggerContext) => string;
  /** Redeems an id once. @param workspace of the token that redeems it */
  readonly redeem: (id: string, workspace: Workspace) => TriggerContext | TriggerError;
  /** @returns the workspace of the action; undefined for an unknown id */
  readonly workspaceOf: (id: string) => Workspace | undefined;
};

const lifeMs = 3000;
/** Limits memory under load. */
const issuedMax = 20_000;

export function createTriggers(clock: Clock): Triggers {
  const issued = createLruCache<TriggerContext & { readonly until: number; isUsed: boolean }>({
    entriesMax: issuedMax,
  });
  return {
    issue: (trigger) => {
      const id = `${clock()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
      issued.set(id, { ...trigger, until: clock() + lifeMs, isUsed: false });
      return id;
    },
    workspaceOf: (id) => issued.get(id)?.workspace,
    redeem: (id, workspace) => {
      const found = issued.get(id);
      if (found?.workspace !== workspace) return 'invalid_trigger_id';
      if (found.isUsed) return 'exchanged_trigger_id';
      if (found.until < clock()) return 'expired_trigger_id';
      found.isUsed = true;
      return found;
    },
  };
}
