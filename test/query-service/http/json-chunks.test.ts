/** A large reply is serialized in chunks of the same text as JSON.stringify, and yields between chunks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonChunks } from '../../../src/query-service/http/json-chunks.ts';

const textOf = async (value: unknown) => Buffer.concat(await jsonChunks(value)).toString();

describe('the chunks of a JSON text', () => {
  it('equal JSON.stringify when joined', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        expect(await textOf(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it.each([0, 1, 99, 100, 101, 12_345])('equal it for a list of %i items below two members', async (length) => {
    const value = {
      data: { a: { data: Array.from({ length }, (_, n) => ({ n, text: `é${n}\n` })) }, b: null },
      errors: [],
    };
    expect(await textOf(value)).toBe(JSON.stringify(value));
  });

  it('are many for a long list, and yield to the event loop between them', async () => {
    const value = { data: { logs: { data: Array.from({ length: 20_000 }, () => ({ message: 'x'.repeat(2_000) })) } } };
    let iterations = 0;
    const ticking = setInterval(() => {
      iterations += 1;
    }, 0);
    const pieces = await jsonChunks(value);
    clearInterval(ticking);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(500_000);
    expect(iterations).toBeGreaterThan(1);
  });
});
