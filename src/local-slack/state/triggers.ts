/** `trigger_id`: lets the app open one modal within three seconds of a person's action. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Refused } from './content.ts';
import type { Workspace } from './workspace.ts';

/** The action that a trigger id comes from. */
export type TriggerContext = {
  readonly workspace: Workspace;
  readonly userId: string;
};

const lifeMs = 3000;
/** Limits memory under load. */
const issuedMax = 20_000;

export class Triggers {
  readonly #clock: Clock;
  readonly #issued = createLruCache<TriggerContext & { readonly until: number; isUsed: boolean }>({
    entriesMax: issuedMax,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(trigger: TriggerContext): string {
    const id = `${this.#clock()}.${randomBytes(4).readUInt32BE()}.${randomBytes(16).toString('hex')}`;
    this.#issued.set(id, { ...trigger, until: this.#clock() + lifeMs, isUsed: false });
    return id;
  }

  /** @returns the workspace of the action; undefined for an unknown id */
  workspaceOf(id: string): Workspace | undefined {
    return this.#issued.get(id)?.workspace;
  }

  /** Redeems an id once. @param workspace of the token that redeems it @throws Refused */
  redeem(id: string, workspace: Workspace): TriggerContext {
    const found = this.#issued.get(id);
    if (found?.workspace !== workspace) throw new Refused('invalid_trigger_id');
    if (found.isUsed) throw new Refused('exchanged_trigger_id');
    if (found.until < this.#clock()) throw new Refused('expired_trigger_id');
    found.isUsed = true;
    return found;
  }
}
