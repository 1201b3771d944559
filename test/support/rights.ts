/** Rights over a real store, with people whom Slack says something of. */
import { createRecorder } from '../../src/bot/commands/access/record.ts';
import { type Authorise, createRights } from '../../src/bot/commands/access/rights.ts';
import { createRules, type Rules } from '../../src/bot/commands/access/rules.ts';
import type { Need, Role, Standing } from '../../src/bot/domain/role.ts';
import type { Store } from '../../src/bot/store/store.ts';
import { createMemoryLog, type MemoryLog } from './memory-log.ts';
import { openTestStore } from './store.ts';

export type TestRights = {
  readonly store: Store;
  readonly rules: Rules;
  readonly authorise: Authorise;
  /** @returns the sentence of the refusal, `allowed` where there is none; and whether somebody was waited for */
  readonly may: (userId: string, needs: Need, channelId?: string) => Promise<readonly [string, boolean]>;
  readonly grant: (userId: string, role: Role) => Promise<void>;
  readonly time: { now: number };
  /** By the person's id; Slack does not say of others. */
  readonly standings: Map<string, Standing>;
  readonly log: MemoryLog;
};

export async function testRights(url = 'sqlite::memory:'): Promise<TestRights> {
  const store = await openTestStore(url);
  const time = { now: 1_000_000 };
  const clock = () => time.now;
  const log = createMemoryLog();
  const standings = new Map<string, Standing>();
  const known = new Set<string>();
  const rules = createRules({ store, clock, log: log.log });
  const standingOf = async ({ userId }: { readonly userId: string }, onWait: () => void) => {
    if (!known.has(userId)) onWait();
    const standing = standings.get(userId);
    if (!standing) throw new Error('Slack does not say.');
    known.add(userId);
    return standing;
  };
  const authorise = createRights({
    rules,
    standingOf,
    knownStandingOf: ({ userId }) => (known.has(userId) ? standings.get(userId) : undefined),
    record: createRecorder({ audit: store.audit, clock, log: log.log, createReference: () => 'ref-1' }),
    clock,
  });
  const may: TestRights['may'] = async (userId, needs, channelId = 'C1') => {
    let hasWaited = false;
    const onWait = () => {
      hasWaited = true;
    };
    const actor = { teamId: 'T1', userId, channelId };
    const sentence = await authorise({ name: 'a-command', needs }, actor, onWait).then(
      () => 'allowed',
      ({ publicMessage }) => publicMessage,
    );
    return [sentence, hasWaited];
  };
  const grant = async (userId: string, role: Role) => {
    await store.roles.grant('T1', { userId, role, grantedBy: 'UADMIN', grantedAt: time.now });
    rules.forget('T1');
  };
  return { store, rules, authorise, may, grant, time, standings, log };
}
