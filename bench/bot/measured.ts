/** The benchmark's interface inside a contender: reports readiness, resources and the profile. */
import { channel } from 'node:diagnostics_channel';
import { type Profiler, Session } from 'node:inspector/promises';
import type { Order, Said, Settings } from './protocol.ts';

/** The first argument. */
export function readSettings(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings;
}

export type Measured = {
  /** @param origin its HTTP address */
  readonly ready: (origin?: string) => void;
  readonly noteAnswer: (afterMs: number) => void;
};

/** Ends the process when the benchmark has ended. */
export function measured({ serviceUrl }: Pick<Settings, 'serviceUrl'>): Measured {
  const trips = countTrips(new URL(serviceUrl).origin);
  const profile = createProfile();
  let answeredAfterMs: number[] = [];
  let before = process.cpuUsage();
  const tell = (said: Said) => process.send?.(said);
  const usage = () => {
    const { user, system } = process.cpuUsage(before);
    tell({ kind: 'usage', usage: { cpuMs: (user + system) / 1000, answeredAfterMs, ...trips.take() } });
    answeredAfterMs = [];
    before = process.cpuUsage();
  };
  process.on('message', async (order: Order) => {
    if (order === 'usage') usage();
    else if (order === 'start profile') {
      await profile.start();
      tell({ kind: 'profiling' });
    } else tell({ kind: 'profile', parts: await profile.end() });
  });
  process.on('disconnect', () => process.exit());
  return {
    ready: (origin) => void tell({ kind: 'ready', origin: origin ?? null }),
    noteAnswer: (afterMs) => void answeredAfterMs.push(afterMs),
  };
}

/** undici reports every request, its own and those of Node's fetch. */
function countTrips(serviceOrigin: string) {
  let count = { serviceTrips: 0, slackTrips: 0 };
  channel('undici:request:create').subscribe((message) => {
    const { request } = message as { readonly request: { readonly origin: string | URL } };
    if (String(request.origin) === serviceOrigin) count.serviceTrips += 1;
    else count.slackTrips += 1;
  });
  return {
    take: () => {
      const taken = count;
      count = { serviceTrips: 0, slackTrips: 0 };
      return taken;
    },
  };
}

function createProfile() {
  const session = new Session();
  return {
    start: async () => {
      session.connect();
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: 200 });
      await session.post('Profiler.start');
    },
    end: async () => {
      const { profile } = await session.post('Profiler.stop');
      session.disconnect();
      return timeByPart(profile);
    },
  };
}

/** @returns milliseconds in the code of each component, without waiting */
function timeByPart({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Readonly<Record<string, number>> {
  const partById = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const parts: Record<string, number> = {};
  for (const [index, id] of samples.entries()) {
    const part = partById.get(id) ?? 'unknown';
    if (part !== '(idle)') parts[part] = (parts[part] ?? 0) + (timeDeltas[index] ?? 0) / 1000;
  }
  return parts;
}

function partOf({ url, functionName }: { readonly url: string; readonly functionName: string }): string {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  if (name !== undefined) return name;
  // Starting the profiler is not the contender's work.
  if (url === 'node:inspector') return '(idle)';
  const [, folder] = /\/(src\/(?:bot\/)?[^/]+)\//.exec(url) ?? [];
  if (folder !== undefined) return folder;
  if (url.startsWith('node:')) return 'Node itself';
  return url === '' && functionName.startsWith('(') ? functionName : 'built-in functions';
}
