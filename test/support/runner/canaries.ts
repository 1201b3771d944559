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
  if (text.length >= secretUnitsMin) secrets.add(text);
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
  const needles = [...new Set([...secrets].flatMap(spellings))].map((one) => Buffer.from(one, 'latin1'));
  const overlap = Math.max(0, ...needles.map(({ length }) => length - 1));
  const hasNeedle = searchFor(needles);
  const leaks = left.filter(({ pile }) => {
    for (const piece of pile.pieces(overlap)) if (hasNeedle(piece)) return true;
    return false;
  });
  for (const { pile } of left) pile.clear();
  return [...new Set(leaks.map(({ where, test }) => `${where} (${test})`))];
}

/** The first three bytes of a needle, as an index into `isFirst`. */
const firstBytes = 3;
const isFirst = new Uint8Array(2 ** (8 * firstBytes));

/** Looks at each byte once, however many needles there are. @param needles of three bytes at the least */
function searchFor(needles: readonly Buffer[]): (piece: Buffer) => boolean {
  const firstOf = (bytes: Buffer, at: number) => bytes.readUIntBE(at, firstBytes);
  const byFirst = Map.groupBy(needles, (needle) => firstOf(needle, 0));
  return (piece) => {
    for (const first of byFirst.keys()) isFirst[first] = 1;
    const hit = anyIn(piece, (first, at) =>
      (byFirst.get(first) ?? []).some((needle) => piece.subarray(at, at + needle.length).equals(needle)),
    );
    for (const first of byFirst.keys()) isFirst[first] = 0;
    return hit;
  };
}

function anyIn(piece: Buffer, isAt: (first: number, at: number) => boolean): boolean {
  let window = 0;
  for (let at = 0; at < piece.length; at += 1) {
    window = ((window << 8) | (piece[at] ?? 0)) & 0xffffff;
    if (isFirst[window] === 1 && at + 1 >= firstBytes && isAt(window, at + 1 - firstBytes)) return true;
  }
  return false;
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
