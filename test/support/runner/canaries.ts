/** Searches the output of the bot for the keys and tokens that the tests of a file use. */
import { expect } from 'vitest';
import { createPile, type Pile } from './collected-bytes.ts';

type Trace = { readonly where: string; readonly test: string; readonly pile: Pile };

/** Shorter ones are words. */
const secretUnitsMin = 12;
/** A secret is searched by its end: texts are cut, and a beginning reveals only the kind and the workspace. */
const tailUnits = 16;

const secrets = new Set<string>();
let traces: Trace[] = [];

/** Registers a secret that no output of the bot may contain. @returns the same text */
export function secret(text: string): string {
  if (text.length < secretUnitsMin || secrets.has(text)) return text;
  secrets.add(text);
  for (const spelled of new Set(spellings(text))) searchFor(Buffer.from(spelled, 'latin1'));
  return text;
}

/** @param where a description of the output */
export function leave(where: string, left: string | Uint8Array): void {
  leaveBit(where)(left);
}

/** Records an output in pieces. @returns takes each piece */
export function leaveBit(where: string): (bit: string | Uint8Array) => void {
  const test = expect.getState().currentTestName ?? 'no test';
  let [own, trace] = [traces, open(where, test)];
  return (bit) => {
    // Earlier output was searched and deleted.
    if (own !== traces) [own, trace] = [traces, open(where, test)];
    trace.pile.add(typeof bit === 'string' ? Buffer.from(bit) : bit);
  };
}

function open(where: string, test: string): Trace {
  const trace = { where, test, pile: createPile() };
  traces.push(trace);
  return trace;
}

/** Deletes the recorded output. @returns a line for each output that contained a secret, without the secret */
export function takeLeaks(): readonly string[] {
  const left = traces;
  traces = [];
  const leaks = left.filter(({ pile }) => {
    for (const piece of pile.pieces(Math.max(0, longestBytes - 1))) if (hasNeedle(piece)) return true;
    return false;
  });
  for (const { pile } of left) pile.clear();
  return [...new Set(leaks.map(({ where, test }) => `${where} (${test})`))];
}

/** A spelling of a secret, and where in it a part begins. */
type Place = { readonly needle: Buffer; readonly offset: number };

/** Bytes of a part. */
const partBytes = 4;
/** A search that takes such steps looks at one of the first parts of each needle, wherever it stands. */
const stepBytes = secretUnitsMin - partBytes + 1;
const placesOf = new Map<number, Place[]>();
const isPart = new Uint8Array(2 ** 24);
let longestBytes = 0;

/** @param needle of at least `secretUnitsMin` bytes */
function searchFor(needle: Buffer): void {
  longestBytes = Math.max(longestBytes, needle.length);
  for (let offset = 0; offset < stepBytes; offset += 1) {
    const part = partAt(needle, offset);
    isPart[part] = 1;
    const places = placesOf.get(part);
    if (places) places.push({ needle, offset });
    else placesOf.set(part, [{ needle, offset }]);
  }
}

/** @returns a number for the part, an index into `isPart`; a few parts share one */
function partAt(bytes: Buffer, at: number): number {
  const high = ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16);
  const low = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  return Math.imul(high | low, 0x9e3779b1) >>> 8;
}

/** Looks at one part of each step, however many needles there are. */
function hasNeedle(piece: Buffer): boolean {
  for (let at = 0; at + partBytes <= piece.length; at += stepBytes) {
    const part = partAt(piece, at);
    if (isPart[part] === 1 && placesOf.get(part)?.some((place) => isNeedle(piece, at, place))) return true;
  }
  return false;
}

function isNeedle(piece: Buffer, at: number, { needle, offset }: Place): boolean {
  const start = at - offset;
  return piece[start] === needle[0] && piece.subarray(start, start + needle.length).equals(needle);
}

/** The text itself, and in an address, in JSON, in hexadecimal, and in base64 at each of the three offsets. */
function spellings(text: string): readonly string[] {
  const tail = Buffer.from(text.slice(-tailUnits));
  const plain = tail.toString('latin1');
  const inBase64 = [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), tail]);
    // The first and last character depend on the neighbouring bytes, too.
    const [from, to] = [Math.ceil((shift * 8) / 6), Math.floor((padded.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((one) => padded.toString(one).slice(from, to));
  });
  return [plain, encodeURIComponent(plain), JSON.stringify(plain).slice(1, -1), tail.toString('hex'), ...inBase64];
}
