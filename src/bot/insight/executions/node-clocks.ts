/** How far each node's clock is from the others', read from what the nodes said alike. */
import { median } from '../statistics/median.ts';

/** The moments at which nodes said one line: pairs of a node's number and epoch milliseconds on that node's clock. */
export type Sighting = { readonly moments: readonly (readonly [node: number, ms: number])[] };

/** So many lines tell a clock's offset as well as all of them. */
const sampledMax = 201;

/**
 * @param sightings of lines that at least two nodes said; the longer ones weigh no more than the shorter ones
 * @param nodeCount nodes are numbered from 0
 * @returns for each node how many milliseconds its clock is ahead of the middle one; 0 where nothing tells
 */
export function clockOffsets(sightings: readonly Sighting[], nodeCount: number): readonly number[] {
  const sampled = everyNth(sightings, Math.ceil(sightings.length / sampledMax));
  const reference = mostSeen(sampled, nodeCount);
  const differences: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const { moments } of sampled) {
    const base = moments.find(([node]) => node === reference)?.[1];
    if (base !== undefined) for (const [node, ms] of moments) differences[node]?.push(ms - base);
  }
  const offsets = differences.map((seen) => (seen.length === 0 ? null : median(seen)));
  const middle = median(offsets.filter((offset) => offset !== null));
  return offsets.map((offset) => (offset === null ? 0 : offset - middle));
}

function everyNth<Item>(items: readonly Item[], step: number): readonly Item[] {
  return step <= 1 ? items : items.filter((_, index) => index % step === 0);
}

function mostSeen(sightings: readonly Sighting[], nodeCount: number): number {
  const seen = Array.from({ length: nodeCount }, () => 0);
  for (const { moments } of sightings) for (const [node] of moments) seen[node] = (seen[node] ?? 0) + 1;
  return seen.indexOf(seen.reduce((most, count) => Math.max(most, count), 0));
}
