/** Serializes a large reply to JSON in chunks, and yields to the event loop between chunks. */
import { createYielder } from '../../shared/time/cooperative.ts';

/** Number of list items that are serialized at once. */
const itemsMax = 100;
/** Depth to which lists are searched: `data`, a field, and its `data`. */
const depthMax = 3;
/** Lists with more items are serialized in chunks. */
const longList = 1_000;
/** Minimum length of a chunk in characters. */
const chunkLength = 65_536;

/** @param value such as `JSON.parse` returns @returns the bytes of the same text as `JSON.stringify`, in order */
export async function jsonChunks(value: unknown): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  const pause = createYielder();
  let text = '';
  for (const fragment of fragmentsOf(value, 0)) {
    text += fragment;
    if (text.length < chunkLength) continue;
    chunks.push(Buffer.from(text));
    text = '';
    const due = pause();
    if (due !== undefined) await due;
  }
  chunks.push(Buffer.from(text));
  return chunks;
}

/** @returns true if serializing the value at once would block the event loop */
export function hasLongList(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > longList;
  if (typeof value !== 'object' || value === null || depth >= depthMax) return false;
  return Object.values(value).some((member) => hasLongList(member, depth + 1));
}

function* fragmentsOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value)) yield* listFragments(value);
  else if (typeof value === 'object' && value !== null && depth < depthMax) yield* memberFragments(value, depth);
  else yield JSON.stringify(value);
}

function* listFragments(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (let at = 0; at < items.length; at += itemsMax) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(items.slice(at, at + itemsMax)).slice(1, -1)}`;
  }
  yield ']';
}

function* memberFragments(value: object, depth: number): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* fragmentsOf(member, depth + 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
