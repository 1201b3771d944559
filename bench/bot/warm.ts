/** Compares a warm status of our bot with a bare Bolt app, with the same blocks in the acknowledgement, over one transport. */
import { median, quantile, table } from '../support/figures.ts';
import type { Contender } from './contender.ts';
import { type Load, typeSteadily, typeTogether } from './people.ts';

export type Pair = { readonly bolt: Contender; readonly ours: Contender };

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
const steady = { perSecond: 50, commands: 250 } as const;

type Warm = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number; readonly cpuMs: number };

/** @param load a round; repeated if a cached answer expired during it */
async function measureRound(contender: Contender, load: () => Promise<Load>): Promise<Warm> {
  for (;;) {
    await typeTogether(contender.type, { lines: wordings, atOnce: 10, commands: 10 });
    await contender.usage();
    const { perSecond, readAfterMs, late } = await load();
    const { cpuMs } = await contender.usage();
    if (late > 0) continue;
    return {
      perSecond,
      p50Ms: quantile(readAfterMs, 0.5),
      p99Ms: quantile(readAfterMs, 0.99),
      cpuMs: cpuMs / readAfterMs.length,
    };
  }
}

const keys = ['perSecond', 'p50Ms', 'p99Ms', 'cpuMs'] as const;

/** The first contender changes from round to round. Ratios are medians over the rounds. */
async function compare({ bolt, ours }: Pair, load: (contender: Contender) => Promise<Load>) {
  const pairs: { readonly bolt: Warm; readonly ours: Warm }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? await measureRound(bolt, () => load(bolt)) : undefined;
    const second = await measureRound(ours, () => load(ours));
    pairs.push({ bolt: first ?? (await measureRound(bolt, () => load(bolt))), ours: second });
  }
  const of = (read: (pair: (typeof pairs)[number]) => number) => median(pairs.map(read));
  const summary = (name: 'bolt' | 'ours') => keys.map((key) => of((pair) => pair[name][key]));
  const ratios = keys.map((key) => of((pair) => pair.ours[key] / pair.bolt[key]));
  return { keys, bolt: summary('bolt'), ours: summary('ours'), ratios };
}

type Compared = Awaited<ReturnType<typeof compare>>;
const head = ['', 'answers/s', 'p50 ms', 'p99 ms', 'bot’s processor, ms/answer'];

function rowsOf(name: string, { bolt, ours, ratios }: Compared): (string | number)[][] {
  return [
    [`${name}: ratio`, ...ratios],
    [`${name}: bare Bolt`, ...bolt],
    [`${name}: ours`, ...ours],
  ];
}

export async function measureWarm(transport: string, pair: Pair) {
  for (const contender of [pair.ours, pair.bolt]) {
    await typeTogether(contender.type, { lines: wordings, atOnce: 10, commands: warmUpCommands });
  }
  const results = [];
  for (const { atOnce, commands } of levels) {
    const load = ({ type }: Contender) => typeTogether(type, { lines: [warmLine], atOnce, commands });
    results.push({ atOnce, ...(await compare(pair, load)) });
  }
  const rows = results.flatMap((result) => rowsOf(`${result.atOnce} at once`, result));
  console.log(`Warm \`status\` over ${transport}, the same blocks in the acknowledgement`);
  console.log(`${table(head, rows)}\n`);
  return results;
}

/** Without the cache of built cards, which lives for a second. */
export async function measureAnew(pair: Pair) {
  const result = await compare(pair, ({ type }) =>
    typeTogether(type, { lines: wordings, atOnce: 10, commands: 1_000 }),
  );
  console.log('Warm `status` over signed HTTP, without the cache of built cards');
  console.log(`${table(head, rowsOf('10 at once', result))}\n`);
  return result;
}

/** The rate of a busy organization; commands do not wait for each other. */
export async function measureSteady(pair: Pair) {
  const result = await compare(pair, ({ type }) => typeSteadily(type, { line: warmLine, ...steady }));
  console.log(`Warm \`status\` over signed HTTP, ${steady.perSecond} a second`);
  console.log(`${table(head, rowsOf('steady', result))}\n`);
  return result;
}
