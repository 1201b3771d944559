/** A workspace with a row in every table. */

import { type Kysely, sql } from 'kysely';
import type { Store } from '../../../src/bot/store/store.ts';
import { type TableName, type Tables, tableNames } from '../../../src/bot/store/tables.ts';
import { beginThread, fillDigests } from '../../support/bot/outbox.ts';
import { secret } from '../../support/runner/canaries.ts';
import { credential } from './contracts/credentials.contract.ts';
import { installation } from './contracts/installations.contract.ts';

/** How long the rows of each table stay in a workspace that keeps the bot. Each table that grows has an age. */
export const ages: Readonly<Record<TableName, '90 days' | '400 days' | 'own end' | 'no growth'>> = {
  delivery: '90 days',
  posted_message: '90 days',
  posted_file: '90 days',
  subscription: '90 days',
  audit: '400 days',
  idempotency_key: 'own end',
  oauth_state: 'own end',
  lease: 'own end',
  // One row for each workspace, or for each of its bot admins.
  installation: 'no growth',
  credential: 'no growth',
  role: 'no growth',
  settings: 'no growth',
  send_rate: 'no growth',
};

/** Puts a row into every table. */
export async function fillWorkspace(store: Store, teamId: string): Promise<void> {
  const key = { teamId, channelId: 'C1', subject: 'e1' };
  const { lease } = await beginThread(store, { key, forMs: 1000, posted: { root: '1.1', verdict: '1.2' } });
  await lease.saveFile({ fileId: 'F1', messageName: 'logs', fileName: 'logs.txt', contentHash: null });
  await store.installations.save(teamId, { ...installation, botToken: secret(`xoxb-canary-${teamId}`) });
  await store.credentials.connect(teamId, { ...credential, apiKey: secret(`wfq_canary_${teamId}`) });
  await store.roles.grant(teamId, { userId: 'U1', role: 'admin', grantedBy: 'U1', grantedAt: 1 });
  await store.settings.change(teamId, { isRedacting: false }, 'U1', 1);
  await store.audit.add(teamId, { at: 1, userId: 'U1', action: 'connect', detail: {} });
  await store.idempotencyKeys.claim(teamId, 'Ev1', 1000);
  await store.leases.take(teamId, 'tokens', 1000);
  await fillDigests(store, teamId);
  await store.postPermits.acquire(teamId, { everyMs: 1000, withinMs: 0 });
  await store.oauthStates.use(`state of ${teamId}`, 'browser', 1000);
}

/** @returns every row of every table as text, sorted */
export async function rowsOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await Promise.all(tableNames.map((name) => sql`select * from ${sql.table(name)}`.execute(db)));
  return tables.flatMap(({ rows }, index) => rows.map((row) => `${tableNames[index]} ${JSON.stringify(row)}`)).sort();
}
