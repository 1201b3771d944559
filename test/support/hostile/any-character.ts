/** Characters for random texts. */
import fc from 'fast-check';

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10ffff];

/** As fast-check's unit `binary`, which makes a map of all 1.1 million characters: 2 s of processor time in each worker. */
export const anyCharacter = fc
  .integer({ min: 0, max: last - surrogates })
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates), indexOf);

function indexOf(text: unknown): number {
  const point = typeof text === 'string' && [...text].length === 1 ? text.codePointAt(0) : undefined;
  if (point === undefined) throw new Error('This is not one character.');
  return point < firstSurrogate ? point : point - surrogates;
}
