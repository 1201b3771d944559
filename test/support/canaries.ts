/** Every key and token that the tests of a file use, all that the bot has left meanwhile, and the search of one in the other. */
import { expect } from 'vitest';

type Trace = { readonly where: string; readonly test: string; readonly bytes: () => Uint8Array };

/** Shorter ones are words. */
const secretUnitsMin = 12;
/** The end stands for the whole: texts are cut, and beginnings tell no more than the kind and the workspace. */
const tailUnits = 16;

const secrets = new Set<string>();
let traces: Trace[] = [];

/** Nothing that the bot leaves in the tests of this file may hold it. @returns the same */
export function secret(text: string): string {
  if (text.length >= secretUnitsMin) secrets.add(text);
  return text;
}

/** @param where the bot left it, as a person finds it @param left or what reads it once all is over */
export function leave(where: string, left: string | Uint8Array | (() => Uint8Array)): void {
  const bytes = typeof left === 'function' ? left : () => (typeof left === 'string' ? Buffer.from(left) : left);
  traces.push({ where, test: expect.getState().currentTestName ?? 'no test', bytes });
}

/** @returns a line for each place that holds a secret, without the secret; what was left is forgotten */
export function takeLeaks(): readonly string[] {
  const read = traces.map(({ where, test, bytes }) => {
    const { buffer, byteOffset, byteLength } = bytes();
    // No copy: there are databases of a gigabyte.
    return { place: `${where} (${test})`, left: Buffer.from(buffer, byteOffset, byteLength) };
  });
  traces = [];
  const needles = [...new Set([...secrets].flatMap(spellings))].map((one) => Buffer.from(one, 'latin1'));
  const leaks = read.filter(({ left }) => needles.some((needle) => left.includes(needle)));
  return [...new Set(leaks.map(({ place }) => place))];
}

/** As it is, in an address, in JSON, in hexadecimal digits, and in base64 wherever it begins there. */
function spellings(text: string): readonly string[] {
  const tail = Buffer.from(text.slice(-tailUnits));
  const plain = tail.toString('latin1');
  const inBase64 = [0, 1, 2].flatMap((shift) => {
    const padded = Buffer.concat([Buffer.alloc(shift), tail]);
    // A character at either end tells of what stands beside it, too.
    const [from, to] = [Math.ceil((shift * 8) / 6), Math.floor((padded.length * 8) / 6)];
    return (['base64', 'base64url'] as const).map((one) => padded.toString(one).slice(from, to));
  });
  return [plain, encodeURIComponent(plain), JSON.stringify(plain).slice(1, -1), tail.toString('hex'), ...inBase64];
}
