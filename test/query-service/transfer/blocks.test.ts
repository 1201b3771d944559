/** A stream is split into blocks of whole lines, wherever its chunks end. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Block, blocksOf, linesIn } from '../../../src/query-service/transfer/import.ts';
import { expectEvery } from '../../support/runner/every.ts';
import { pieces } from '../../support/service/transfer.ts';

const sizes = { blockBytes: 20, lineBytesMax: 10 };

async function blocksIn(chunks: readonly Buffer[]): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  for await (const block of blocksOf(pieces(chunks), sizes)) blocks.push(block);
  return blocks;
}

function cut(text: string, cuts: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '{}', 'bcdef'), maxLength: 60 });

test('however a stream is cut, every byte is in one block, and every short line is whole and in order', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat()), async (whole, cuts) => {
      const blocks = await blocksIn(cut(whole, cuts));
      expect(Buffer.concat(blocks.map(({ bytes }) => bytes)).toString()).toBe(whole);
      const lines = blocks.flatMap(({ kind, bytes }) => {
        if (kind === 'lines') return [...linesIn(bytes)].map(String);
        return kind === 'too long' ? [] : ['(too long)'];
      });
      const expected = whole.replace(/\n$/, '').split('\n');
      const isLong = (line: string) => Buffer.byteLength(line) > sizes.lineBytesMax;
      expect(lines).toHaveLength(whole === '' ? 0 : expected.length);
      lines.forEach((line, index) => {
        if (line !== expected[index]) expect([line, isLong(expected[index] ?? '')]).toEqual(['(too long)', true]);
      });
    }),
  );
});

test('a line that is too long is passed on in pieces and not buffered', async () => {
  const chunks = Array.from({ length: 50 }, () => Buffer.from('x'.repeat(11)));
  const blocks = await blocksIn([...chunks, Buffer.from('\nab\n')]);
  expectEvery(blocks.slice(0, 50), ({ kind, bytes }) => kind === 'too long' && bytes.length === 11);
  expect(blocks.slice(50).map(({ kind, bytes }) => [kind, String(bytes)])).toEqual([
    ['too long, end', '\n'],
    ['lines', 'ab\n'],
  ]);
});

test('a stream that ends in a line that is too long ends that line', async () => {
  expect((await blocksIn([Buffer.from('x'.repeat(11))])).map(({ kind }) => kind)).toEqual([
    'too long',
    'too long, end',
  ]);
});
