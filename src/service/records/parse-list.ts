/** Parses a list that is kept as JSON text: a long one in slices, between which other requests are answered. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters: a slice takes a few milliseconds. */
const sliceLengthDefault = 1_048_576;

/**
 * @param text of a list of objects, as `JSON.stringify` writes it: each begins with the same member
 * @returns null where there is no text
 */
export async function parseLongList<Item>(
  text: string | null,
  sliceLength = sliceLengthDefault,
): Promise<readonly Item[] | null> {
  if (text === null || text.length <= sliceLength) return parseList(text);
  const items: Item[] = [];
  for (const slice of slicesOf(text, sliceLength)) {
    for (const item of JSON.parse(slice) as readonly Item[]) items.push(item);
    await nextTurn();
  }
  return items;
}

export function parseList<Item>(text: string | null): readonly Item[] | null {
  return text === null ? null : (JSON.parse(text) as readonly Item[]);
}

/** Cuts between two objects. Inside of a string no quotation mark is without its backslash, so what is looked for is never there. */
function* slicesOf(text: string, sliceLength: number): Generator<string> {
  const first = /^\[\{"\w+":/.exec(text)?.[0].slice(1);
  let begin = 1;
  while (first !== undefined) {
    const end = text.indexOf(`},${first}`, begin + sliceLength);
    if (end < 0) break;
    yield `[${text.slice(begin, end + 1)}]`;
    begin = end + 2;
  }
  yield `[${text.slice(begin)}`;
}
