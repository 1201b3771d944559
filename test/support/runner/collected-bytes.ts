/** Bytes that are kept until they are searched: in memory up to a limit for the whole process, beyond it in a file. */
import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Pile = {
  readonly add: (bytes: Uint8Array) => void;
  /** All bytes in order, one piece at a time in memory. @param overlap the number of bytes of the previous piece that each repeats */
  readonly pieces: (overlap: number) => Iterable<Buffer>;
  readonly clear: () => void;
};

const keptBytesMax = 32 * 1024 * 1024;
const readBytes = 4 * 1024 * 1024;
let keptBytes = 0;
const files = new Set<string>();
process.on('exit', () => {
  for (const file of files) rmSync(file, { force: true });
});

export function createPile(): Pile {
  let kept: Buffer[] = [];
  let file: string | undefined;
  const keep = (bytes: Uint8Array) => {
    keptBytes += bytes.length;
    kept.push(Buffer.from(bytes));
  };
  const spill = (bytes: Uint8Array) => {
    file ??= join(tmpdir(), `pile-${randomUUID()}`);
    files.add(file);
    appendFileSync(file, bytes);
  };
  return {
    add: (bytes) => (file === undefined && keptBytes + bytes.length <= keptBytesMax ? keep(bytes) : spill(bytes)),
    pieces: (overlap) => withOverlap(file === undefined ? kept : chain(kept, fileIn(file)), overlap),
    clear: () => {
      for (const { length } of kept) keptBytes -= length;
      kept = [];
      if (file === undefined) return;
      rmSync(file, { force: true });
      files.delete(file);
      file = undefined;
    },
  };
}

function* chain(...parts: readonly Iterable<Buffer>[]): Generator<Buffer> {
  for (const part of parts) yield* part;
}

/** @param file an existing file @returns its bytes, some at a time; each piece is overwritten by the next */
export function* fileIn(file: string): Generator<Buffer> {
  const descriptor = openSync(file, 'r');
  // Many files are small, and a buffer takes time to make.
  const piece = Buffer.alloc(Math.max(1, Math.min(readBytes, fstatSync(descriptor).size)));
  try {
    for (let read = readSync(descriptor, piece); read > 0; read = readSync(descriptor, piece)) {
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Joins small pieces. */
function* withOverlap(parts: Iterable<Buffer>, overlap: number): Generator<Buffer> {
  let [waiting, length]: [Buffer[], number] = [[], 0];
  for (const part of parts) {
    waiting.push(Buffer.from(part));
    length += part.length;
    if (length < readBytes) continue;
    const piece = Buffer.concat(waiting);
    yield piece;
    waiting = [piece.subarray(Math.max(0, piece.length - overlap))];
    length = 0;
  }
  yield Buffer.concat(waiting);
}
