/** Draws characters from a seed: every run makes the same texts, and no file contains a provider's key. */

const lower = 'abcdefghijklmnopqrstuvwxyz';
const upper = lower.toUpperCase();
const digits = '0123456789';
export const alphabets = {
  lower,
  upper,
  digits,
  hex: `${digits}abcdef`,
  letters: lower + upper,
  alnum: lower + upper + digits,
  lowerAlnum: lower + digits,
  upperAlnum: upper + digits,
  url: `${lower}${upper}${digits}_-`,
  base64: `${lower}${upper}${digits}+/`,
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  base32: `${upper}234567`,
  bech32: 'qpzry9x8gf2tvdw0s3jn54khce6mua7l',
} as const;

export type Draw = {
  readonly below: (max: number) => number;
  readonly of: (alphabet: keyof typeof alphabets, length: number) => string;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly hex: (length: number) => string;
  readonly uuid: () => string;
};

/** mulberry32 */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const below = (max: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % max;
  };
  const of = (alphabet: keyof typeof alphabets, length: number) =>
    Array.from({ length }, () => alphabets[alphabet][below(alphabets[alphabet].length)]).join('');
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[below(items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  const hex = (length: number) => of('hex', length);
  return { below, of, pick, hex, uuid: () => [8, 4, 4, 4, 12].map(hex).join('-') };
}
