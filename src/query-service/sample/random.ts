/** A pseudo-random generator: the same numbers for the same seeds. */

export type Random = {
  /** @returns an integer, both ends included */
  readonly between: (min: number, max: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** @param length a multiple of four @returns hexadecimal characters */
  readonly hex: (length: number) => string;
};

const fourDigits = Array.from({ length: 0x1_0000 }, (_, value) => value.toString(16).padStart(4, '0'));

/** @returns a 32-bit seed for a text (FNV-1a) */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}

/** The generator is sfc32 (Chris Doty-Humphrey, PractRand), warmed up twelve times. Seeds are 32-bit integers. */
export function createRandom(seed: number, second = 0, third = 0): Random {
  let a = seed | 0;
  let b = second | 0;
  let c = third | 0;
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next();
  const between = (min: number, max: number) => min + (next() % (max - min + 1));
  const hex = (length: number) => {
    let text = '';
    while (text.length < length) text += fourDigits[next() & 0xffff];
    return text;
  };
  return { between, hex, pick: (items) => items[next() % items.length] ?? items[0] };
}

/**
 * @param prefix eight hexadecimal characters to begin with, or none
 * @returns a uuid of version 4
 */
export function uuidFrom(random: Random, prefix = ''): string {
  const digits = prefix + random.hex(32 - prefix.length);
  const [time, middle, version] = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(13, 16)];
  return `${time}-${middle}-4${version}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}

/**
 * Chooses `count` of every `of` consecutive numbers irregularly; the rate is exact over any long stretch.
 * @returns true if `index` is chosen
 */
export function isChosen(seed: number, index: number, count: number, of: number): boolean {
  const random = createRandom(seed, Math.floor(index / of), of);
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(random.between(0, of - 1));
  return chosen.has(index % of);
}
