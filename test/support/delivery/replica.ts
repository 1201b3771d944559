/** One process that only delivers digests and ends itself at a given failpoint. Its argument is JSON. */
import { setTimeout as wait } from 'node:timers/promises';
import { nextDue } from '../../../src/bot/domain/schedule.ts';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import type { OutboxPosting } from '../../../src/bot/outbox/ports.ts';
import type { OccurrenceToBuild } from '../../../src/bot/outbox/prepare.ts';
import type { DeliveryLimits, DeliveryTiming } from '../../../src/bot/outbox/timing.ts';
import { OutboxWorker } from '../../../src/bot/outbox/worker.ts';
import { createOutboxPosting } from '../../../src/bot/slack/outbound/delivery/outbox-posting.ts';
import { createSlackClients } from '../../../src/bot/slack/outbound/web-api/client.ts';
import { createHistoryReader } from '../../../src/bot/slack/outbound/web-api/history-reader.ts';
import { createSlackAgent, createSlackFetch } from '../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { openStore, type Store } from '../../../src/bot/store/store.ts';
import { AppError } from '../../../src/shared/errors.ts';
import type { LogFields } from '../../../src/shared/log/logger.ts';
import { type Strategy, withStrategy } from './strategies.ts';
import { leftLine, ofVersion, type Version } from './versions.ts';

export type ReplicaOptions = {
  readonly name: string;
  readonly storeUrl: string;
  readonly apiUrl: string;
  readonly strategy: Strategy;
  readonly timing: Partial<DeliveryTiming>;
  readonly limits: Partial<DeliveryLimits>;
  /** How many subscriptions it makes that are due at once, and in how many workspaces. */
  readonly subscriptions: number;
  readonly teams: number;
  /** Duration of a build. */
  readonly buildMs: number;
  readonly repliesCount: number;
  /** The process kills itself, or runs out of memory, the `nth` time that it reaches the failpoint. */
  readonly kill?: { readonly kind: 'failpoint' | 'memory'; readonly failpoint: Failpoint; readonly nth: number };
  /** How much its clock is ahead of the other processes'. */
  readonly clockAheadMs?: number;
  /** Simulated version of the program; this one if absent. */
  readonly version?: Version;
  /** End of the query service's outage, epoch milliseconds by the common clock. */
  readonly serviceBackAt?: number;
};

const options: ReplicaOptions = JSON.parse(process.argv[2] ?? '{}');
const say = (line: string) => process.stdout.write(`${line}\n`);
const quiet = () => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: (fields: LogFields) => {
    if (fields['error'] === 'payload_of_another_version') say(leftLine);
  },
  error: (fields: LogFields, text: string) => process.stderr.write(`${text}: ${fields['err'] ?? ''}\n`),
};
const { now: rightNow } = Date;
Date.now = () => rightNow() + (options.clockAheadMs ?? 0);
let reached = 0;
const stopping = new AbortController();
// Ends with the test process.
process.stdin.resume().on('end', () => process.exit(1));
const store = await opened();
const engine = new OutboxWorker({
  ...options,
  outbox: ofVersion(withStrategy(store.outbox, options.strategy), options.version ?? 'this'),
  postPermits: store.postPermits,
  subscriptions: store.subscriptions,
  posting: posting(),
  content: {
    build: async (occurrence) => {
      await wait(options.buildMs);
      if (rightNow() < (options.serviceBackAt ?? 0)) throw new AppError('unavailable', 'The query service is gone.');
      const replies = Array.from({ length: options.repliesCount }, (_, index) => `cause-${index + 1}`);
      return {
        root: textOf(occurrence, 'root'),
        replies: replies.map((name) => ({ name, message: textOf(occurrence, name) })),
      };
    },
    couldNotCheck: async (occurrence) => ({ root: textOf(occurrence, 'root'), replies: [] }),
  },
  failpoint: reach,
  log,
});
await subscribe();
engine.start();
say('started');
process.on('SIGTERM', async () => {
  stopping.abort();
  await engine.stop();
  await store.close();
  process.exit(0);
});

/** Retries until the database is available. */
async function opened(): Promise<Store> {
  for (;;) {
    try {
      return await openStore(options.storeUrl);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
      await wait(200);
    }
  }
}

function textOf({ claimed: { key } }: OccurrenceToBuild, name: string) {
  return { text: [key.subject, key.occurrenceId, name].join('|'), blocks: [] };
}

function reach(failpoint: Failpoint): void {
  if (failpoint === 'after finish' || failpoint === 'after duplicate check') say(failpoint);
  if (failpoint !== options.kill?.failpoint) return;
  reached += 1;
  if (reached !== options.kill.nth) return;
  for (const hoard: number[][] = []; options.kill.kind === 'memory'; ) hoard.push(Array(100_000).fill(hoard.length));
  process.kill(process.pid, 'SIGKILL');
}

async function subscribe(): Promise<void> {
  const now = await store.outbox.now();
  const schedule = { time: '09:00', weekdays: [1, 2, 3, 4, 5, 6, 7], zone: 'UTC' };
  const rest = { schedule, workflows: { kind: 'all' }, hasAllClear: true, onUncertain: 'hold' } as const;
  for (let index = 0; index < options.subscriptions; index += 1) {
    const [teamId, channelId] = [`T${index % options.teams}`, `C${Math.floor(index / options.teams)}`];
    const due = { ...nextDue(schedule, { at: now }), at: now };
    await store.subscriptions.create(teamId, { ...rest, channelId }, { userId: 'U1', at: now }, due);
  }
}

/** The bot's own posting, with a token that identifies process and workspace to the judge. */
function posting(): OutboxPosting {
  const { apiUrl: slackApiUrl, name, timing } = options;
  const callTimeoutMs = timing.sendDeadlineMs ?? 10_000;
  const clients = createSlackClients({ slackApiUrl, callTimeoutMs, log, fetch: createSlackFetch(createSlackAgent()) });
  const bots = createOutboxPosting({
    slashCommand: '/workflow',
    clients,
    history: createHistoryReader({ clients, clock: Date.now, stopping: stopping.signal }),
    uptime: () => performance.now(),
    audienceOf: async () => 'own',
    workspaces: { find: async (teamId) => ({ teamId, botToken: `xoxb-${name}.${teamId}`, botUserId: 'UBOT' }) },
    notifyPerson: async () => true,
  });
  const find: OutboxPosting['find'] = async (...where) => {
    const found = await bots.find(...where);
    // Shorter than the bot's own wait of half a minute.
    return 'error' in found ? { ...found, retryAfterMs: Math.min(found.retryAfterMs ?? 0, 1000) } : found;
  };
  return { ...bots, find };
}
