/** Parses a list that is stored as JSON text. Parses a long one in slices and yields to the event loop between them. */
import { createYielder } from '../../../shared/time/cooperative.ts';

/** Limits the number of long texts that are read and parsed at the same time, so that their memory is bounded. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Length in characters; parsing a slice takes about a millisecond. */
const sliceLengthDefault = 262_144;

/**
 * @param text of a list of objects as `JSON.stringify` writes it; each object begins with the same member
 */
export async function parseLongList<Item>(text: string, sliceLength = sliceLengthDefault): Promise<readonly Item[]> {
  const items: Item[] = [];
  const pause = createYielder();
  for (const slice of slicesOf(text, sliceLength)) {
    for (const item of JSON.parse(slice) as readonly Item[]) items.push(item);
    const due = pause();
    if (due !== undefined) await due;
  }
  return items;
}

export function parseList<Item>(text: string | null): readonly Item[] | null {
  return text === null ? null : (JSON.parse(text) as readonly Item[]);
}

/** Cuts between two objects. JSON strings escape quotation marks, so the separator never occurs inside a string. */
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
