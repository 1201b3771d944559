/** Writes of the process that holds a delivery's lease. Each is one statement that fails once the fencing token has risen. */
import { type Insertable, type Kysely, sql, type Transaction, type UpdateObject } from 'kysely';
import { changesOne, type Dialect, inTransaction } from '../dialect.ts';
import type { DeliveryKey, PostedMessageTable, Tables } from '../tables.ts';
import {
  type MissedOccurrence,
  type NewMessage,
  type OccurrenceLease,
  type OccurrenceState,
  type OpenLease,
  type PostedFile,
  rootName,
  type SendOutcome,
} from './delivery.ts';
import { isReporting, keyOf, messagesOf } from './rows.ts';

const ended = { fence: sql<number>`fence + 1` };

/** A message with more than one attempt may have duplicates, and some appear late in the history. */
const firstDuplicateCheckMs = 120_000;

export class StoredLease implements OccurrenceLease, OpenLease {
  readonly #db: Kysely<Tables>;
  readonly #dialect: Dialect;
  readonly #key: DeliveryKey;
  readonly #fence: number;
  readonly #missed: readonly MissedOccurrence[];

  /** @param delivery as it was claimed: after the next claim the fence is higher @param missed that its digest reports */
  constructor(
    db: Kysely<Tables>,
    dialect: Dialect,
    delivery: DeliveryKey & { readonly fence: number },
    missed: readonly MissedOccurrence[] = [],
  ) {
    this.#db = db;
    this.#dialect = dialect;
    this.#key = keyOf(delivery);
    this.#fence = delivery.fence;
    this.#missed = missed;
  }

  extend(leaseMs: number): Promise<boolean> {
    return this.#update(this.#db, { claimableAt: this.#dialect.after(leaseMs) });
  }

  finish(state: Exclude<OccurrenceState, 'due'>, error: string | null = null): Promise<boolean> {
    return this.#update(this.#db, { ...ended, state, error, payload: null });
  }

  release(tryAgainInMs: number, error: string | null = null): Promise<boolean> {
    const attempts = sql<number>`attempts + 1`;
    return this.#update(this.#db, { ...ended, attempts, claimableAt: this.#dialect.after(tryAgainInMs), error });
  }

  defer(forMs: number): Promise<boolean> {
    return this.#update(this.#db, { ...ended, claimableAt: this.#dialect.after(forMs) });
  }

  recordIntent(name: string, outlivesMs: number): Promise<boolean> {
    const now = this.#dialect.now();
    const isInTime = sql<boolean>`claimable_at >= ${now} + ${sql.lit(outlivesMs)}`;
    return changesOne(
      this.#message(name, isInTime)
        .where('state', '=', 'waiting')
        .set((is) => ({
          state: 'intent',
          attempts: is('attempts', '+', 1),
          firstIntentAt: is.fn.coalesce('firstIntentAt', now),
          lastIntentAt: now,
        })),
    );
  }

  /** The same outcome may be recorded twice, because the answer to the first statement may be lost. */
  recordOutcome(name: string, outcome: SendOutcome): Promise<boolean> {
    return changesOne(
      this.#message(name)
        .where((is) =>
          is.or([is('state', '<>', 'sent'), ...(outcome.kind === 'sent' ? [is('ts', '=', outcome.ts)] : [])]),
        )
        .set(outcomeColumns(this.#dialect, outcome)),
    );
  }

  async savePayload(
    payload: string,
    messages: readonly NewMessage[],
    checkError: string | null = null,
  ): Promise<boolean> {
    const refused = new Error('refused');
    const save = async (step: Transaction<Tables>) => {
      if (!(await this.#update(step, { payload, checkError }, sql<boolean>`payload is null`))) throw refused;
      const rows = this.#waiting(messages, 0);
      if (rows.length > 0) await step.insertInto('posted_message').values(rows).execute();
      if (!(await reportMissed(step, this.#key, this.#missed))) throw refused;
      return true;
    };
    return inTransaction(this.#db, save).catch((error: unknown) => {
      if (error === refused) return false;
      throw error;
    });
  }

  async readMessages() {
    return (await messagesOf(this.#db, [this.#key]))(this.#key);
  }

  addMessages(messages: readonly NewMessage[], position: number): Promise<boolean> {
    return this.#insertMessages(this.#waiting(messages, position));
  }

  adoptRoot(ts: string): Promise<boolean> {
    return this.#insertMessages([{ ...this.#key, name: rootName, position: 0, opaqueId: '', state: 'sent', ts }]);
  }

  recordEdit(name: string, contentHash: string): Promise<boolean> {
    return changesOne(this.#message(name).set({ contentHash }));
  }

  renew({ name, opaqueId }: NewMessage): Promise<boolean> {
    const unsent = { state: 'waiting', ts: null, contentHash: null, error: null, attempts: 0 };
    return changesOne(this.#message(name).set({ opaqueId, ...unsent }));
  }

  async saveFile({ fileId, ...file }: PostedFile): Promise<void> {
    const insert = this.#db.insertInto('posted_file').values({ ...this.#key, fileId, ...file });
    const key = ['teamId', 'kind', 'subject', 'occurrenceId', 'fileId'] as const;
    await insert.onConflict((conflict) => conflict.columns(key).doUpdateSet(file)).execute();
  }

  async forgetFile(fileId: string): Promise<void> {
    const file = this.#db.deleteFrom('posted_file').where((is) => is.and({ ...this.#key, fileId }));
    await file.execute();
  }

  /** Inside a transaction the row stays locked until its end. @returns false if another process has the lease */
  #update(
    db: Kysely<Tables>,
    values: UpdateObject<Tables, 'delivery'>,
    condition = sql<boolean>`true`,
  ): Promise<boolean> {
    const leased = db.updateTable('delivery').where((is) => is.and({ ...this.#key, fence: this.#fence }));
    return changesOne(leased.where(condition).set(values));
  }

  /** Leaves existing messages as they are. @returns false if another process has the lease */
  #insertMessages(rows: readonly Insertable<PostedMessageTable>[]): Promise<boolean> {
    return inTransaction(this.#db, async (step) => {
      // The row stays locked until the messages are there.
      if (!(await this.#update(step, { fence: this.#fence }))) return false;
      const insert = step.insertInto('posted_message').values(rows);
      await insert.onConflict((conflict) => conflict.doNothing()).execute();
      return true;
    });
  }

  #waiting(messages: readonly NewMessage[], first: number): readonly Insertable<PostedMessageTable>[] {
    return messages.map(({ name, opaqueId }, index) => {
      return { ...this.#key, name, position: first + index, opaqueId, state: 'waiting' };
    });
  }

  /**
   * Updates a message while the lease is valid. The statement locks the delivery's row, so that no other process claims or
   * cancels it meanwhile.
   */
  #message(name: string, condition = sql<boolean>`true`) {
    const { teamId, kind, subject, occurrenceId } = this.#key;
    const hasLease = sql<boolean>`exists (select 1 from delivery
      where team_id = ${teamId} and kind = ${kind} and subject = ${subject} and occurrence_id = ${occurrenceId}
        and fence = ${this.#fence} and ${condition} ${this.#dialect.forUpdate})`;
    const message = this.#db.updateTable('posted_message').where((is) => is.and({ ...this.#key, name }));
    return message.where(hasLease);
  }
}

function outcomeColumns(dialect: Dialect, outcome: SendOutcome) {
  const duplicateCheckAt = sql<number | null>`case when attempts > 1 then ${dialect.after(firstDuplicateCheckMs)} end`;
  switch (outcome.kind) {
    case 'sent': {
      const { ts, contentHash = null } = outcome;
      return { state: 'sent', ts, contentHash, error: null, duplicateCheckAt };
    }
    case 'unsent':
      return {
        state: 'waiting',
        error: outcome.error,
        attempts: sql<number>`attempts - case when state = 'intent' then 1 else 0 end`,
        firstIntentAt: sql<
          number | null
        >`case when state = 'intent' and attempts = 1 then null else first_intent_at end`,
      };
    case 'dead':
    case 'uncertain':
      return { state: outcome.kind, error: outcome.error, duplicateCheckAt };
    default:
      return { state: outcome.kind, error: outcome.error };
  }
}

/** @returns false if another digest of the subscription reports one of them by now */
async function reportMissed(
  transaction: Transaction<Tables>,
  { occurrenceId: reportedIn, ...owner }: DeliveryKey,
  missed: readonly MissedOccurrence[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const ids = missed.map(({ occurrenceId }) => occurrenceId);
  const isUnreported = sql<boolean>`(reported_in is null or not exists (
    select 1 from delivery as reporter where reporter.team_id = ${owner.teamId} and reporter.kind = ${owner.kind}
      and reporter.subject = ${owner.subject} and reporter.occurrence_id = delivery.reported_in
      and ${isReporting('reporter')}))`;
  const unreported = transaction
    .updateTable('delivery')
    .where((is) => is.and(owner))
    .where('occurrenceId', 'in', ids)
    .where(isUnreported);
  return Number((await unreported.set({ reportedIn }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
