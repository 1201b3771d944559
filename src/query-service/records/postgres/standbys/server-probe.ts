/** Asks a server for its state and for revisions of organizations. Questions that wait at the same time are one statement. */
import { createStatementPool } from '../../../../shared/sql/postgres.ts';

export type ServerState = {
  /** True while it replays the log of another server. */
  readonly isStandby: boolean;
  /** Changes when the server restarts. */
  readonly startedAt: string;
  /** End of the log that it has replayed, or has written if it is a primary. */
  readonly position: number;
  /** Revisions by organization; one that has none is left out. */
  readonly revisions: Readonly<Record<string, string>>;
};

export type ServerProbe = {
  /** The answer is never older than the call. @throws AppError `unavailable` */
  readonly ask: (organizationId?: string) => Promise<ServerState>;
  readonly end: () => Promise<void>;
};

const text = `select pg_is_in_recovery(), extract(epoch from pg_postmaster_start_time())::text,
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end - '0/0')::bigint,
  (select json_object_agg(organization_id, revision)::text from organization_revision
    where organization_id = any(array(select json_array_elements_text($1::json))))`;

type StateRow = readonly [isStandby: boolean, startedAt: string, position: number, revisions: string | null];

type Batch = { readonly organizationIds: Set<string>; readonly answer: PromiseWithResolvers<ServerState> };

export function createServerProbe(url: string, answerTimeoutMs: number): ServerProbe {
  const pool = createStatementPool({ url, answerTimeoutMs, connectionsMax: 1, keeps: 'plans' });
  const read = async (organizationIds: ReadonlySet<string>): Promise<ServerState> => {
    const rows = await pool.run(text, [JSON.stringify([...organizationIds])], { spend: () => {} });
    const [isStandby, startedAt, position, revisions] = rows[0] as StateRow;
    return { isStandby, startedAt, position, revisions: revisions === null ? {} : JSON.parse(revisions) };
  };
  let waiting: Batch | undefined;
  let isAsking = false;
  const askWaiting = () => {
    if (waiting === undefined) return;
    const { organizationIds, answer } = waiting;
    waiting = undefined;
    isAsking = true;
    const answered = read(organizationIds);
    answered.then(answer.resolve, answer.reject);
    const askNext = () => {
      isAsking = false;
      askWaiting();
    };
    answered.then(askNext, askNext);
  };
  return {
    ask(organizationId) {
      // Requests of the same iteration of the event loop ask together.
      if (waiting === undefined && !isAsking) setImmediate(askWaiting);
      waiting ??= { organizationIds: new Set(), answer: Promise.withResolvers() };
      if (organizationId !== undefined) waiting.organizationIds.add(organizationId);
      return waiting.answer.promise;
    },
    end: pool.end,
  };
}
