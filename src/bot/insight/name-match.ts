/** Finds the workflow that a typed name means. */

type Named = { readonly uuid: string; readonly name: string; readonly status: string };

export type NameMatch<Candidate> =
  /**
   * One clear winner. `isExact`: the text is its name, in any case and with any signs between its words. `isMistyped`: the text is not a part of its name. An
   * answer for a name that is not exact says which workflow it shows.
   */
  | {
      readonly kind: 'one';
      readonly candidate: Candidate;
      readonly isExact: boolean;
      readonly isMistyped: boolean;
    }
  /** Several equally good matches, best first. */
  | { readonly kind: 'several'; readonly candidates: readonly Candidate[] }
  /** No match; the nearest names, nearest first, at most three. */
  | { readonly kind: 'none'; readonly nearest: readonly Candidate[] };

const nearestMax = 3;

/** From best to worst: exact, exact ignoring case, exact ignoring the signs between words, prefix, word start, substring. */
function rank(text: string, name: string): number | undefined {
  if (name === text) return 0;
  const [wanted, candidate] = [fold(text), fold(name)];
  if (candidate === wanted) return 1;
  if (spaced(candidate) === spaced(wanted)) return 2;
  // Signs alone are themselves.
  const hasWord = /[\p{L}\p{N}]/u.test(wanted);
  const [part, whole] = hasWord ? [spaced(wanted), spaced(candidate)] : [wanted, candidate];
  if (whole.startsWith(part)) return 3;
  if (!whole.includes(part)) return undefined;
  return startsWord(candidate, wanted) ? 4 : 5;
}

function startsWord(candidate: string, wanted: string): boolean {
  return candidate.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(wanted)) || candidate.includes(` ${wanted}`);
}

/** `payments eu` and `payments_eu` are `payments-eu`. */
function spaced(folded: string): string {
  return folded.replace(/[-_. ]/g, ' ');
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/**
 * @param text typed text, not empty
 * @param candidates every workflow whose name may match; existing ones win over deleted ones
 */
export function matchName<Candidate extends Named>(
  text: string,
  candidates: readonly Candidate[],
): NameMatch<Candidate> {
  const ranked = rankNames(text, candidates);
  const [best] = ranked;
  if (!best) return matchMistyped(text, candidates);
  const winners = preferExisting(ranked.filter((entry) => entry.rank === best.rank).map((entry) => entry.candidate));
  const [winner, second] = winners;
  if (winner && !second) return { kind: 'one', candidate: winner, isExact: best.rank <= 2, isMistyped: false };
  const others = ranked.filter((entry) => entry.rank !== best.rank).map((entry) => entry.candidate);
  return { kind: 'several', candidates: [...winners, ...others] };
}

/**
 * @param text typed so far; may be empty
 * @returns every matching candidate, best first; if none matches, those that differ by a typing error
 */
export function completeName<Candidate extends Named>(
  text: string,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const ranked = rankNames(text, candidates);
  if (ranked.length > 0) return ranked.map(({ candidate }) => candidate);
  // Called for every keystroke: names whose length differs by more than the allowed slips are not measured.
  const alike = candidates.filter(({ name }) => Math.abs(name.length - text.length) <= slipsAllowed(text));
  const slips = measureSlips(text, alike).filter(({ isSlip }) => isSlip);
  return slips.map(({ candidate }) => candidate);
}

/** Best first; within a rank existing workflows before deleted ones, then by name. */
function rankNames<Candidate extends Named>(text: string, candidates: readonly Candidate[]) {
  return candidates
    .flatMap((candidate) => {
      const found = rank(text, candidate.name);
      return found === undefined ? [] : [{ candidate, rank: found }];
    })
    .sort((one, other) => one.rank - other.rank || inList(one.candidate, other.candidate));
}

function inList(one: Named, other: Named): number {
  const isDeleted = ({ status }: Named) => Number(status === 'DELETED');
  return isDeleted(one) - isDeleted(other) || one.name.localeCompare(other.name);
}

function matchMistyped<Candidate extends Named>(text: string, candidates: readonly Candidate[]): NameMatch<Candidate> {
  const measured = measureSlips(text, candidates);
  const closest = measured.filter(({ distance }) => distance === measured[0]?.distance);
  const [winner, second] = preferExisting(closest.map(({ candidate }) => candidate));
  if (winner && !second && closest[0]?.isSlip)
    return { kind: 'one', candidate: winner, isExact: false, isMistyped: true };
  return { kind: 'none', nearest: measured.slice(0, nearestMax).map(({ candidate }) => candidate) };
}

/** Nearest first. */
function measureSlips<Candidate extends Named>(text: string, candidates: readonly Candidate[]) {
  const wanted = fold(text);
  return candidates
    .map((candidate) => {
      const distance = editDistance(wanted, fold(candidate.name));
      return { candidate, distance, isSlip: distance <= slipsAllowed(wanted) };
    })
    .sort((one, other) => one.distance - other.distance || one.candidate.name.localeCompare(other.candidate.name));
}

/** Ignores case. */
export function isSameName(text: string, name: string): boolean {
  return fold(text) === fold(name);
}

/** @returns whether the name differs from the text by a few typing errors */
export function isMisspelling(text: string, name: string): boolean {
  const wanted = fold(text);
  return editDistance(wanted, fold(name)) <= slipsAllowed(wanted);
}

/** Number of typing errors that still mean the same word. */
function slipsAllowed(text: string): number {
  return text.length < 4 ? 0 : text.length < 8 ? 1 + Number(text.length > 5) : 3;
}

function preferExisting<Candidate extends Named>(candidates: readonly Candidate[]): readonly Candidate[] {
  const existing = candidates.filter((candidate) => candidate.status !== 'DELETED');
  return existing.length > 0 ? existing : candidates;
}

/** Longer names are compared by their beginnings, so that a hostile name costs little. */
const comparedUnitsMax = 128;

/** Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string alignment). */
export function editDistance(first: string, second: string): number {
  const [from, to] = [first.slice(0, comparedUnitsMax), second.slice(0, comparedUnitsMax)];
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}

/** More words are a text, not a line. */
const wordsMax = 60;

type NameAt<Candidate> = { readonly from: number; readonly to: number; readonly named: readonly Candidate[] };

/**
 * @returns where the longest whole name is among the words, the first of equally long ones, and who has it: also a shorter name in
 *   it, if the signs between the words differ; undefined if none is there
 */
export function nameAmong<Candidate extends Named>(
  words: readonly string[],
  candidates: readonly Candidate[],
): NameAt<Candidate> | undefined {
  const exact = longestName(words, candidates, fold);
  const alike = longestName(words, candidates, (text) => spaced(fold(text)));
  if (!alike || (exact && exact.to - exact.from >= alike.to - alike.from)) return exact;
  const inside = longestName(words.slice(alike.from, alike.to), candidates, fold);
  return inside ? { ...alike, named: [...alike.named, ...inside.named] } : alike;
}

function longestName<Candidate extends Named>(
  words: readonly string[],
  candidates: readonly Candidate[],
  keyOf: (text: string) => string,
): NameAt<Candidate> | undefined {
  const byKey = Map.groupBy(candidates, ({ name }) => keyOf(name));
  const count = Math.min(words.length, wordsMax);
  for (let length = count; length > 0; length -= 1) {
    for (let from = 0; from + length <= count; from += 1) {
      const named = byKey.get(keyOf(words.slice(from, from + length).join(' ')));
      if (named) return { from, to: from + length, named: preferExisting(named) };
    }
  }
  return undefined;
}

/** Longer texts are cut. */
const searchedUnitsMax = 8_000;
/** Shorter names are words of any sentence. */
const namedUnitsMin = 3;

/** @returns the candidates whose whole name is in the text, in any case; of names within a longer one that is there too, the longer one */
export function namesWithin<Candidate extends Named>(
  text: string,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const searched = fold(text.slice(0, searchedUnitsMax));
  const found = preferExisting(
    candidates.filter(({ name }) => name.length >= namedUnitsMin && isWithin(searched, fold(name))),
  );
  return found.filter(
    ({ name }) => !found.some((other) => other.name.length > name.length && fold(other.name).includes(fold(name))),
  );
}

/** Between letters, digits, hyphens and underscores it is a part of another name. */
function isWithin(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const around = [text[at - 1], text[at + name.length]];
    if (around.every((unit) => unit === undefined || !/[\p{L}\p{N}_-]/u.test(unit))) return true;
  }
  return false;
}
