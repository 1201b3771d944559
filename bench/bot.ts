/** `npm run bench -- bot`: our bot and a bare Bolt app on this machine, alternating rounds under the same load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServiceProcess } from '../src/bin/playground/service-process.ts';
import { createBareTrip } from './bot/bare-trip.ts';
import { silent, startContender, startLoaded } from './bot/contender.ts';
import { pressAndRead, type ThreadRead, typeAndRead } from './bot/people.ts';
import type { Settings, Usage } from './bot/protocol.ts';
import { timeBoltStart, timeBotStart, timePlaygroundStart } from './bot/start-up.ts';
import { measureAnew, measureOffered, measureWarm, type Pair, rounds, warmLine } from './bot/warm.ts';
import { machine, median, shown, table, writeFigures } from './support/figures.ts';

const coldPerRound = 15;
/** Commands a second of a busy organization. */
const busyRate = 50;

const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-bench-'));
const service = await startServiceProcess({ port: 0, databaseUrl: `sqlite:${folder}/service.db`, log: silent });
const shared = { serviceUrl: service.url, apiKey: service.apiKey, answer: null };
const ourBot = new URL('bot/our-bot.ts', import.meta.url);
const databaseUrl = (name: string) => `sqlite:${folder}/${name}.db`;
const forgetful = await startContender(ourBot, {
  ...{ ...shared, transport: 'socket', memory: 'none' },
  databaseUrl: databaseUrl('forgetful'),
});
const overSocket = await startPair('socket');
const overHttp = await startPair('http');
const started = [forgetful, overSocket.ours, overSocket.bolt, overHttp.ours, overHttp.bolt, service];
const card = (await typeAndRead(forgetful.slack, warmLine)).message;
const workflowUuid = /status ([0-9a-f-]{36}) /.exec(JSON.stringify(card.blocks))?.[1] ?? '';
try {
  console.log(`${machine()}; medians of ${rounds} rounds, alternating within each.\n`);
  const figures = {
    rounds,
    http: await measureTransport('signed HTTP', overHttp),
    socket: await measureTransport('Socket Mode', overSocket),
    anew: await measureAnew(overHttp),
    busy: await measureOffered('signed HTTP', overHttp, busyRate),
    cold: await measureCold(),
    drillDown: await measureDrillDown(),
    startUp: await measureStartUp(),
  };
  console.log(`Numbers: ${writeFigures('bot', figures)}`);
} finally {
  for (const { stop } of started) await stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Our bot, and a bare Bolt app that sends the same card. */
async function startPair(transport: Settings['transport']): Promise<Pair> {
  const { text, blocks } = (await typeAndRead(forgetful.slack, warmLine)).message;
  const options = { ...shared, transport, memory: 'kept', databaseUrl: databaseUrl(transport) } as const;
  const answer = { response_type: 'ephemeral', text, blocks };
  const bolt = await startLoaded(new URL('bot/bare-bolt.ts', import.meta.url), { ...options, answer });
  return { bolt, ours: await startLoaded(ourBot, options) };
}

async function measureTransport(transport: string, pair: Pair) {
  const warm = await measureWarm(transport, pair);
  const offered = await measureOffered(transport, pair, warm.boltCapacity / 2);
  return { warm: warm.levels, offered, profile: await measureProfile(transport, pair) };
}

/** Microseconds of an answer in the code of each component. */
async function measureProfile(transport: string, { bolt, ours }: Pair) {
  const parts = [];
  for (const contender of [bolt, ours]) {
    const commands = 5_000;
    await contender.startProfile();
    await contender.load({ lines: [warmLine], atOnce: 10, commands });
    const spent = Object.entries(await contender.endProfile()).map(([part, ms]) => [part, (ms * 1000) / commands]);
    parts.push(Object.fromEntries(spent) as Readonly<Record<string, number>>);
  }
  const [boltParts = {}, ourParts = {}] = parts;
  const names = [...new Set([...Object.keys(ourParts), ...Object.keys(boltParts)])]
    .toSorted((a, b) => (ourParts[b] ?? 0) - (ourParts[a] ?? 0))
    .filter((name) => Math.max(ourParts[name] ?? 0, boltParts[name] ?? 0) >= 1);
  const rows = names.map((name) => [name, boltParts[name] ?? 0, ourParts[name] ?? 0]);
  console.log(`Profile: µs an answer in the code of each component, 10 at once, over ${transport}`);
  console.log(`${table(['', 'bare Bolt', 'ours'], rows)}\n`);
  return { bolt: boltParts, ours: ourParts };
}

async function measureCold() {
  const trip = await createBareTrip({ url: service.url, apiKey: service.apiKey }, workflowUuid);
  const read = (line: string) => async () => (await typeAndRead(forgetful.slack, line)).afterMs;
  const kinds = [
    { name: 'one bare round trip by fetch', ask: trip },
    { name: '`status <id>`', ask: read(`status ${workflowUuid}`) },
    { name: '`status payments`', ask: read(warmLine) },
  ];
  const samples = kinds.map(() => ({
    afterMs: [] as number[],
    answeredAfterMs: [] as number[],
    trips: [] as number[],
  }));
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, kind] of kinds.entries()) {
      await forgetful.usage();
      const afterMs = await repeated(coldPerRound, kind.ask);
      const { answeredAfterMs, serviceTrips } = await forgetful.usage();
      if (round === -1) continue;
      samples[index]?.afterMs.push(median(afterMs));
      samples[index]?.answeredAfterMs.push(median(answeredAfterMs));
      samples[index]?.trips.push(serviceTrips / coldPerRound);
    }
  }
  const bare = median(samples[0]?.afterMs ?? []);
  const results = kinds.map(({ name }, index) => {
    const { afterMs = [], answeredAfterMs = [], trips = [] } = samples[index] ?? {};
    const isBare = index === 0;
    return {
      name,
      serviceTrips: isBare ? 1 : median(trips),
      answeredAfterMs: isBare ? bare : median(answeredAfterMs),
      readAfterMs: isBare ? Number.NaN : median(afterMs),
    };
  });
  const rows = results.map(({ name, serviceTrips, answeredAfterMs, readAfterMs }) => {
    return [name, serviceTrips, answeredAfterMs, answeredAfterMs / bare, readAfterMs, readAfterMs / bare];
  });
  console.log('Cold `status`: empty caches, connections open');
  console.log(`${table(['', 'round trips', 'answered, ms', 'ratio', 'read in Slack, ms', 'ratio'], rows)}\n`);
  return results;
}

async function repeated<Result>(times: number, run: () => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let time = 0; time < times; time += 1) results.push(await run());
  return results;
}

async function measureDrillDown() {
  const { message } = await typeAndRead(forgetful.slack, warmLine);
  const runs: (ThreadRead & Usage)[] = [];
  for (let round = -3; round < rounds; round += 1) {
    await forgetful.usage();
    const read = await pressAndRead(forgetful.slack, message);
    const usage = await forgetful.usage();
    if (round >= 0) runs.push({ ...read, ...usage });
  }
  const of = (pick: (run: ThreadRead & Usage) => number) => median(runs.map(pick));
  const result = {
    understoodAfterMs: of(({ answeredAfterMs }) => answeredAfterMs[0] ?? Number.NaN),
    rootAfterMs: of(({ rootAfterMs }) => rootAfterMs),
    verdictAfterMs: of(({ verdictAfterMs }) => verdictAfterMs),
    lastReplyAfterMs: of(({ lastReplyAfterMs }) => lastReplyAfterMs),
    replies: of(({ replies }) => replies),
    serviceTrips: of(({ serviceTrips }) => serviceTrips),
    slackTrips: of(({ slackTrips }) => slackTrips),
  };
  console.log('Drill-down of a failure of `payments`, empty caches, from the press (aim: 1 s to the last reply)');
  const head = ['understood, ms', 'root', 'verdict', 'last reply', 'replies', 'trips to the service', 'calls of Slack'];
  console.log(`${table(head, [Object.values(result).map(shown)])}\n`);
  return result;
}

async function measureStartUp() {
  const start = { serviceUrl: service.url, apiKey: service.apiKey, folder: join(folder) };
  const times = {
    bolt: [] as number[],
    bot: [] as number[],
    playgroundFirst: [] as number[],
    playground: [] as number[],
  };
  for (let round = 0; round < 5; round += 1) {
    times.bolt.push(await timeBoltStart(start));
    times.bot.push(await timeBotStart(start));
    const own = mkdtempSync(join(folder, 'playground-'));
    times.playgroundFirst.push(await timePlaygroundStart(own));
    times.playground.push(await timePlaygroundStart(own));
  }
  const rows = [
    ['bare Bolt, connected', median(times.bolt), 'none'],
    ['our bot, connected', median(times.bot), '1,000'],
    ['playground, ready for the first time', median(times.playgroundFirst), '5,000'],
    ['playground, ready again', median(times.playground), '5,000'],
  ];
  console.log('Start-up, medians of 5');
  console.log(`${table(['', 'ms', 'aim, ms'], rows)}\n`);
  return Object.fromEntries(Object.entries(times).map(([name, ms]) => [`${name}Ms`, median(ms)]));
}
