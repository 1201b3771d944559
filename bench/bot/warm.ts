/** Compares a warm status of our bot with a bare Bolt app, with the same blocks in the acknowledgement, over one transport. */
import { median, shown, table } from '../support/figures.ts';
import type { LoadedContender } from './contender.ts';
import type { LoadPattern } from './protocol.ts';

export type Pair = { readonly bolt: LoadedContender; readonly ours: LoadedContender };

export const rounds = 11;
export const warmLine = 'status payments';
/** Two spellings of a name that the card repeats, so that consecutive cards differ. */
const wordings = [warmLine, 'status paymnts'];

const levels = [
  { atOnce: 1, commands: 300 },
  { atOnce: 10, commands: 1_000 },
  { atOnce: 100, commands: 2_000 },
] as const;
/** After so many answers V8 has compiled a program of this size. */
const warmUpCommands = 20_000;
const offeredSeconds = 1.5;

const keys = ['perSecond', 'p50Ms', 'p99Ms', 'cpuMs', 'generatorDelayMs'] as const;
const head = ['', 'answers/s', 'p50 ms', 'p99 ms', 'bot’s processor, ms/answer', 'generator’s delay, p99 ms'];

type Warm = Readonly<Record<(typeof keys)[number] | 'generatorCpuMs', number>>;

/** Repeats the round if a cached answer expired during it. */
async function measureRound(contender: LoadedContender, pattern: LoadPattern): Promise<Warm> {
  for (;;) {
    await contender.load({ lines: wordings, atOnce: 10, commands: 10 });
    await contender.usage();
    const { late, ...load } = await contender.load(pattern);
    const { cpuMs } = await contender.usage();
    if (late === 0) return { ...load, cpuMs: cpuMs / pattern.commands };
  }
}

/** The first contender changes from round to round. Ratios are medians over the rounds. */
async function compare({ bolt, ours }: Pair, pattern: LoadPattern) {
  const pairs: { readonly bolt: Warm; readonly ours: Warm }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await measureRound(bolt, pattern) : undefined;
    const second = await measureRound(ours, pattern);
    pairs.push({ bolt: first ?? (await measureRound(bolt, pattern)), ours: second });
  }
  const of = (read: (pair: (typeof pairs)[number]) => number) => median(pairs.map(read));
  const summary = (name: 'bolt' | 'ours') => keys.map((key) => of((pair) => pair[name][key]));
  // The generator is the same for both.
  const ratios = keys.map((key) =>
    key === 'generatorDelayMs' ? Number.NaN : of(({ ours, bolt }) => ours[key] / bolt[key]),
  );
  const generatorCpuMs = of((pair) => (pair.bolt.generatorCpuMs + pair.ours.generatorCpuMs) / 2);
  return { keys, bolt: summary('bolt'), ours: summary('ours'), ratios, generatorCpuMs };
}

type Compared = Awaited<ReturnType<typeof compare>>;

function rowsOf(name: string, { bolt, ours, ratios }: Compared): (string | number)[][] {
  return [
    [`${name}: ratio`, ...ratios],
    [`${name}: bare Bolt`, ...bolt],
    [`${name}: ours`, ...ours],
  ];
}

/** @returns also the answers a second of which bare Bolt is capable, with 100 people at once */
export async function measureWarm(transport: string, pair: Pair) {
  for (const contender of [pair.ours, pair.bolt]) {
    await contender.load({ lines: wordings, atOnce: 10, commands: warmUpCommands });
  }
  const results = [];
  for (const level of levels) {
    results.push({ ...level, ...(await compare(pair, { lines: [warmLine], ...level })) });
  }
  const rows = results.flatMap((result) => rowsOf(`${result.atOnce} at once`, result));
  console.log(`Warm \`status\` over ${transport}, the same blocks in the acknowledgement`);
  console.log(`${table(head, rows)}\n`);
  return { levels: results, boltCapacity: results.at(-1)?.bolt[0] ?? Number.NaN };
}

/** Without the cache of built cards, which lives for a second. */
export async function measureAnew(pair: Pair) {
  const result = await compare(pair, { lines: wordings, atOnce: 10, commands: 1_000 });
  console.log('Warm `status` over signed HTTP, without the cache of built cards');
  console.log(`${table(head, rowsOf('10 at once', result))}\n`);
  return result;
}

/** @param rate commands a second; they do not wait for each other */
export async function measureOffered(transport: string, pair: Pair, rate: number) {
  const perSecond = Math.round(rate);
  const commands = Math.max(250, Math.round(perSecond * offeredSeconds));
  const result = await compare(pair, { lines: [warmLine], perSecond, commands });
  console.log(`Warm \`status\` over ${transport}, ${shown(perSecond)} a second, each timed from when it was due`);
  console.log(`${table(head, rowsOf('offered', result))}\n`);
  return { perSecond, ...result };
}
