/** A workspace with a row in every table. */

import { type Kysely, sql } from 'kysely';
import type { Store } from '../../../src/bot/store/store.ts';
import { type Tables, tableNames } from '../../../src/bot/store/tables/tables.ts';
import { secret } from '../../support/canaries.ts';
import { fillDigests } from '../../support/outbox.ts';
import { credential } from './credentials.contract.ts';
import { installation } from './installations.contract.ts';

/** Puts a row into every table. */
export async function fillWorkspace(store: Store, teamId: string): Promise<void> {
  const claim = await store.threads.claim({ teamId, channelId: 'C1', subject: 'e1' }, 1000, 1000);
  if (claim.kind === 'mine') {
    await claim.lease.saveRoot('1.1', false);
    await claim.lease.saveReply('verdict', '1.2', 'digest');
    await claim.lease.saveFile({ fileId: 'F1', reply: 'logs', name: 'logs.txt', digest: null });
  }
  await store.installations.save(teamId, { ...installation, botToken: secret(`xoxb-canary-${teamId}`) });
  await store.credentials.connect(teamId, { ...credential, apiKey: secret(`wfq_canary_${teamId}`) });
  await store.roles.grant(teamId, { userId: 'U1', role: 'admin', grantedBy: 'U1', grantedAt: 1 });
  await store.settings.change(teamId, { isRedacting: false }, 'U1', 1);
  await store.audit.add(teamId, { at: 1, userId: 'U1', action: 'connect', detail: {} });
  await store.idempotencyKeys.claim(teamId, 'Ev1', 1000, 1000);
  await store.leases.take(teamId, 'tokens', 1000, 1000);
  await fillDigests(store, teamId);
  await store.rateLimiter.acquire(teamId, { everyMs: 1000, withinMs: 0 });
  await store.oauthStates.use(`state of ${teamId}`, 'browser', 2000);
}

/** @returns every row of every table as text, sorted */
export async function rowsOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await Promise.all(tableNames.map((name) => sql`select * from ${sql.table(name)}`.execute(db)));
  return tables.flatMap(({ rows }, index) => rows.map((row) => `${tableNames[index]} ${JSON.stringify(row)}`)).sort();
}
