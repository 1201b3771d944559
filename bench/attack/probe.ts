/** Polls the bot from a separate thread: alternately its health, and help for a member of another workspace. */
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

type Asked = {
  readonly origin: string;
  readonly signingSecret: string;
  readonly teamId: string;
  readonly channelId: string;
  /** Each person stays below the bot's rate limit. */
  readonly people: readonly string[];
};

type Probed = { readonly healthMs: readonly number[]; readonly helpMs: readonly number[] };

export type Probe = {
  /** @returns measurements since the last call */
  readonly take: () => Promise<Probed>;
  readonly stop: () => Promise<unknown>;
};

const healthEveryMs = 20;
/** Ten commands in ten seconds are allowed to one person. */
const personEveryMs = 1_300;

export function startProbe(asked: Asked): Probe {
  const worker = new Worker(new URL(import.meta.url), { workerData: asked });
  return {
    take: () =>
      new Promise((resolve) => {
        worker.once('message', resolve);
        worker.postMessage('take');
      }),
    stop: () => worker.terminate(),
  };
}

async function probe({ origin, signingSecret, teamId, channelId, people }: Asked): Promise<void> {
  const pool = new Pool(origin, { connections: 20 });
  let [healthMs, helpMs]: [number[], number[]] = [[], []];
  parentPort?.on('message', () => {
    parentPort?.postMessage({ healthMs, helpMs } satisfies Probed);
    [healthMs, helpMs] = [[], []];
  });
  const timed = async (kept: () => number[], ask: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await ask();
    kept().push(performance.now() - startedAt);
  };
  const health = async () => (await pool.request({ method: 'GET', path: '/healthz' })).body.dump();
  const help = (person: string, count: number) => async () => {
    const body = new URLSearchParams({
      ...{ team_id: teamId, channel_id: channelId, user_id: person, command: '/workflow', text: 'help' },
      ...{
        api_app_id: 'A01WORKFLOW',
        response_url: 'http://127.0.0.1:1/nowhere',
        trigger_id: `${Date.now()}.${count}.x`,
      },
    }).toString();
    const timestamp = String(Math.floor(Date.now() / 1000));
    const digest = createHmac('sha256', signingSecret).update(`v0:${timestamp}:${body}`).digest('hex');
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    };
    const response = await pool.request({ method: 'POST', path: '/slack/events', headers, body });
    const text = await response.body.text();
    // A slow answer does not travel in the acknowledgement.
    if (response.statusCode !== 200 || !text.includes('blocks'))
      throw new Error(`help: ${response.statusCode} ${text}`);
  };
  const every = async (ms: number, once: (count: number) => Promise<unknown>) => {
    for (let count = 0; ; count += 1) {
      void once(count).catch((error: unknown) => {
        console.error(error);
        helpMs.push(Number.POSITIVE_INFINITY);
      });
      await wait(ms);
    }
  };
  void every(healthEveryMs, () => timed(() => healthMs, health));
  void every(personEveryMs / people.length, (count) =>
    timed(() => helpMs, help(people[count % people.length] ?? '', count)),
  );
}

if (parentPort) await probe(workerData as Asked);
