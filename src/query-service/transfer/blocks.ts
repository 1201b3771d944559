/** Splits a stream of bytes into blocks of whole lines, in bounded memory: skips lines that are too long. */

export type Block = {
  /** The bytes of this block. Every byte of the stream is in exactly one block. */
  readonly bytes: Buffer;
  /**
   * `lines`: whole lines (the last of the stream may lack its line break). `too long`: a piece of a too long line
   * without its end. `too long, end`: the piece with its end.
   */
  readonly kind: 'lines' | 'too long' | 'too long, end';
};

export type BlockSizes = {
  /** A block ends as soon as it has this many bytes of whole lines. */
  readonly blockBytes: number;
  /** Longer lines are refused without being read. */
  readonly lineBytesMax: number;
};

/**
 * 8 MiB are some 18,000 executions without logs. Their uuids are spread over an index, so that a block half as large
 * changes nearly as many of its pages. The longest logs of the platform take 11 MB.
 */
export const blockSizes: BlockSizes = { blockBytes: 8 * 1024 * 1024, lineBytesMax: 32 * 1024 * 1024 };

const lineBreak = 0x0a;

/** @param chunks of the stream, of any size */
export async function* blocksOf(chunks: AsyncIterable<Buffer>, sizes: BlockSizes = blockSizes): AsyncGenerator<Block> {
  const whole = createByteBuffer();
  const begun = createByteBuffer();
  let isTooLong = false;
  for await (const chunk of chunks) {
    let rest = chunk;
    if (isTooLong) {
      const end = rest.indexOf(lineBreak) + 1;
      isTooLong = end === 0;
      yield isTooLong ? { bytes: rest, kind: 'too long' } : { bytes: rest.subarray(0, end), kind: 'too long, end' };
      if (isTooLong) continue;
      rest = rest.subarray(end);
    }
    const end = rest.lastIndexOf(lineBreak) + 1;
    if (end > 0) {
      whole.add(begun.take());
      whole.add(rest.subarray(0, end));
    }
    begun.add(rest.subarray(end));
    isTooLong = begun.size() > sizes.lineBytesMax;
    if (whole.size() >= sizes.blockBytes || (isTooLong && whole.size() > 0)) {
      yield { bytes: whole.take(), kind: 'lines' };
    }
    if (isTooLong) yield { bytes: begun.take(), kind: 'too long' };
  }
  whole.add(begun.take());
  if (isTooLong) yield { bytes: Buffer.alloc(0), kind: 'too long, end' };
  else if (whole.size() > 0) yield { bytes: whole.take(), kind: 'lines' };
}

/** Collects chunks of bytes and concatenates them once. */
function createByteBuffer() {
  let chunks: Buffer[] = [];
  let bytes = 0;
  return {
    size: () => bytes,
    add(chunk: Buffer): void {
      if (chunk.length > 0) chunks.push(chunk);
      bytes += chunk.length;
    },
    take(): Buffer {
      const taken = Buffer.concat(chunks, bytes);
      chunks = [];
      bytes = 0;
      return taken;
    },
  };
}

/** @param bytes whole lines; the last may lack its line break @returns each line without its line break */
export function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineBreak, from);
    const until = end === -1 ? bytes.length : end;
    yield bytes.subarray(from, until);
    from = until + 1;
  }
}
