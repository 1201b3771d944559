/** Writes a large answer as JSON in pieces: between two of them the event loop serves other requests. */
import { createYielder } from '../../shared/time/cooperative.ts';

/** Items of a list that are written at once. */
const itemsMax = 100;
/** Lists are looked for so deep: `data`, a field, and its `data`. */
const depthMax = 3;
/** Items of a list that is written in pieces. */
const longList = 1_000;
/** Characters of a piece, at least. */
const chunkLength = 65_536;

/** @param value as `JSON.parse` could have made it @returns the bytes of the same text as `JSON.stringify`, in order */
export async function jsonChunks(value: unknown): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  const pause = createYielder();
  let text = '';
  for (const part of partsOf(value, 0)) {
    text += part;
    if (text.length < chunkLength) continue;
    pieces.push(Buffer.from(text));
    text = '';
    const due = pause();
    if (due !== undefined) await due;
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/** @returns whether writing the value at once would hold the event loop */
export function hasLongList(value: unknown, depth = 0): boolean {
  if (Array.isArray(value)) return value.length > longList;
  if (typeof value !== 'object' || value === null || depth >= depthMax) return false;
  return Object.values(value).some((member) => hasLongList(member, depth + 1));
}

function* partsOf(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value)) yield* listParts(value);
  else if (typeof value === 'object' && value !== null && depth < depthMax) yield* memberParts(value, depth);
  else yield JSON.stringify(value);
}

function* listParts(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (let at = 0; at < items.length; at += itemsMax) {
    yield `${at > 0 ? ',' : ''}${JSON.stringify(items.slice(at, at + itemsMax)).slice(1, -1)}`;
  }
  yield ']';
}

function* memberParts(value: object, depth: number): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* partsOf(member, depth + 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
