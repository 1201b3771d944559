/** One digest a slot: what is due, who is at work on it, what was sent, and what nobody knows. Times are the database's clock. */
import type { Kysely } from 'kysely';
import type { Engine } from '../engine.ts';
import { type Agenda, agenda } from '../outbox/agenda.ts';
import { claim } from '../outbox/claim.ts';
import { holdOff, type Turn, type TurnOptions, takeTurn } from '../outbox/pace.ts';
import { page } from '../outbox/page.ts';
import { addSlot, nowOf, plan } from '../outbox/plan.ts';
import type {
  ClaimedSlot,
  NewSlot,
  PlanSlots,
  SlotClaimOptions,
  SlotEntry,
  SlotKey,
  SweepablePart,
} from '../outbox/slot.ts';
import { sweepable, swept } from '../outbox/sweep.ts';
import type { Tables } from '../tables/tables.ts';

export type Ledger = {
  /** The only clock of slots. @returns epoch milliseconds */
  now(): Promise<number>;
  /**
   * Takes up to `max` subscriptions that are due, the longest due first and those of a workspace together; several
   * processes take different ones.
   * @param planOf which slots come into being, and what it is due at next; where it throws, the others are planned all the same
   * @returns how many were planned @throws the first that `planOf` threw
   */
  plan(max: number, planOf: PlanSlots): Promise<number>;
  /** A slot that a person asked for. @returns false where there is one of that name, or no such subscription */
  add(teamId: string, subscriptionId: string, slot: NewSlot): Promise<boolean>;
  /** Workspaces in turn, of each the longest due first; whose turn it is is seen among those that have waited longest. */
  claim(options: SlotClaimOptions): Promise<readonly ClaimedSlot[]>;
  /** For one message to a workspace: of all processes together it gets one at a time. Whoever gets none is told a moment of its own. */
  takeTurn(teamId: string, options: TurnOptions): Promise<Turn>;
  /** Slack said to come back later: nobody gets a turn before. */
  holdOff(teamId: string, forMs: number): Promise<void>;
  /** Parts that were sent or given up after more than one attempt, 2 and 10 minutes later; others get them only where `swept` does not follow. */
  sweepable(max: number): Promise<readonly SweepablePart[]>;
  /** @param looks as it came: the same look counts once, however long it took */
  swept(key: SlotKey, part: string, looks: number): Promise<void>;
  agenda(): Promise<Agenda>;
  /** Newest first. @param before the cursor of the last entry of the page before */
  page(teamId: string, count: number, before?: string): Promise<readonly SlotEntry[]>;
};

export function createLedger(db: Kysely<Tables>, engine: Engine): Ledger {
  return {
    now: () => nowOf(db, engine),
    plan: (max, planOf) => plan(db, engine, max, planOf),
    add: (teamId, subscriptionId, slot) => addSlot(db, engine, { teamId, subscriptionId }, slot),
    claim: (options) => claim(db, engine, options),
    takeTurn: (teamId, options) => takeTurn(db, engine, teamId, options),
    holdOff: (teamId, forMs) => holdOff(db, engine, teamId, forMs),
    sweepable: (max) => sweepable(db, engine, max),
    swept: (key, part, looks) => swept(db, engine, key, part, looks),
    agenda: () => agenda(db, engine),
    page: (teamId, count, before) => page(db, teamId, count, before),
  };
}
