/** Scheduled digests with their real content, over a query service that misbehaves as instructed. */
import { onTestFinished } from 'vitest';
import { createWorkspaceRulesCache } from '../../../src/bot/commands/access/workspace-rules.ts';
import { createConnections } from '../../../src/bot/connection/connections.ts';
import { CredentialResolver } from '../../../src/bot/connection/credential-resolver.ts';
import { createContent } from '../../../src/bot/digests/build.ts';
import { createQueryService } from '../../../src/bot/query/query-client.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import { type Behaviour, relayTo, startHostileHttp } from '../service/hostile-http.ts';
import { startWorld, worldKey } from '../service/world.ts';
import { dayMs, type OutboxTest, plan } from './outbox.ts';
import { startWorker } from './outbox-worker.ts';
import { testRuntime } from './runtime.ts';

const minuteMs = 60_000;

/** One subscription of the workspace T1, which has stored its key, due a second after the start. @param options the delay of the bot's start */
export async function startScheduled(behaviour: Behaviour, { awayMs = 0, hasKey = true } = {}) {
  const [server, world] = [await startHostileHttp(behaviour), await startWorld()];
  const notices: string[] = [];
  const { log, text: logged } = createMemoryLog();
  const test = await startWorker({
    contentOf: (outbox) => contentOver(outbox, server.url, (userId) => notices.push(userId), log),
    // Stands still: a busy machine makes no intent too old.
    uptime: () => 0,
  });
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });
  const key = { keyHint: 'wfq_…', connectedBy: 'U0ADMIN', connectedAt: test.clock() };
  const organization = { organizationId: 'o-1', organizationName: 'Acme' };
  const connect = () =>
    test.store.credentials.connect('T1', { endpoint: server.url, apiKey: worldKey, ...key, ...organization });
  if (hasKey) await connect();
  const { id } = await test.subscribe('T1', plan);
  test.pass(1000 + awayMs);
  test.worker.start();
  let released = 0;
  /** Passes through the retries of one digest. @param times number of retries @param everyMs the time between them */
  const wait = async (times: number, everyMs = minuteMs) => {
    for (let time = 0; time < times; time += 1) {
      released += 1;
      await test.until('after release', released);
      test.pass(everyMs);
    }
  };
  let finished = 0;
  return {
    ...test,
    ...{ id, server, notices, connect },
    wait,
    /** Waits until `count` more digests have ended. */
    ended: async (count = 1) => {
      finished += count;
      await test.until('after finish', finished);
    },
    tomorrow: () => test.pass(dayMs),
    logs: () => logged() + test.log.text(),
    recover: () => server.behaveAs(relayTo(world.url)),
  };
}

type Log = ReturnType<typeof createMemoryLog>['log'];

/** Wired as in compose. @param onNotice called with the person who is notified of a refused key */
export function contentOver(
  { store, clock }: OutboxTest,
  url: string,
  onNotice: (userId: string) => void = () => undefined,
  log: Log = createMemoryLog().log,
) {
  const runtime = testRuntime(clock, log);
  // A busy machine does not turn a refusal into an answer that came too late.
  const query = createQueryService({ ...runtime, origins: [url], deadlineMs: 100_000, wait: async () => undefined });
  const rules = createWorkspaceRulesCache(store, runtime);
  const audit = createAuditLog(store, runtime);
  const keys = { runtime, store, audit, endpoints: [url] as const, defaultKey: undefined };
  const connections = createConnections({
    ...{ ...keys, query, resolver: new CredentialResolver(keys) },
    notifyPerson: async ({ userId }) => {
      onNotice(userId);
      return true;
    },
    waitForSecondTry: async () => undefined,
  });
  onTestFinished(async () => {
    await connections.stop();
    await query.close();
  });
  return createContent(connections.queryClientFor, {
    settingsOf: async (teamId) => (await rules.of(teamId)).settings,
    adminIds: async () => [],
  });
}
