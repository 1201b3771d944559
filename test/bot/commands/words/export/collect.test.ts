/** Collection of pages into one file. */
import { describe, expect, it } from 'vitest';
import { collectExport } from '../../../../../src/bot/commands/words/export/collect.ts';
import { AppError } from '../../../../../src/shared/errors.ts';
import { ago, anExecution, now } from '../../../../support/service/service-data.ts';

type Question = Parameters<typeof collectExport>[0];
type Page = Question['pages'] extends AsyncIterable<infer Item> ? Item : never;

const page = (...minutes: readonly number[]): Page => ({
  executions: minutes.map((minute) => anExecution({ uuid: `e-${minute}`, startedAt: ago(minute), finishedAt: null })),
  unreadable: 0,
});

async function* pagesOf(...steps: readonly (Page | Error)[]): AsyncGenerator<Page> {
  for (const step of steps) {
    if (step instanceof Error) throw step;
    yield step;
  }
}

const { signal } = new AbortController();
const facts = { format: 'csv', workflow: 'payments', from: 0, to: now, bytesMax: 1e6, signal } as const;

async function collect(pages: Question['pages'], overrides: Partial<Question> = {}) {
  const outcome = await collectExport({ ...facts, pages, onRows: () => undefined, ...overrides });
  if (outcome.kind === 'cancelled') throw new Error('Nobody cancelled it.');
  return outcome;
}

const textOf = ({ chunks }: Awaited<ReturnType<typeof collect>>) =>
  chunks.map((chunk) => new TextDecoder().decode(chunk)).join('');

describe('an export', () => {
  it('of CSV has a header and one line per row, in the order of the pages', async () => {
    const file = await collect(pagesOf(page(1, 2), page(3)));
    expect(textOf(file).split('\r\n')).toEqual([
      expect.stringMatching(/^workflow,execution_uuid,/),
      expect.stringContaining('e-1'),
      expect.stringContaining('e-2'),
      expect.stringContaining('e-3'),
      '',
    ]);
    expect([file.rowCount, file.end, file.byteCount]).toEqual([3, null, textOf(file).length]);
  });

  it.each([[[]], [[page(1)]], [[page(1, 2), page(), page(3)]]])('of JSON is one document: %#', async (pages) => {
    const file = await collect(pagesOf(...pages), { format: 'json' });
    const parsed = JSON.parse(textOf(file));
    expect(parsed).toMatchObject({ workflow: 'payments', rowCount: file.rowCount, isWhole: true });
    expect(parsed.executions).toHaveLength(file.rowCount);
  });

  it('counts unreadable rows and masked values', async () => {
    const secret = anExecution({ errors: [{ error: 'token sk_live_0123456789abcdefghij', count: 1 }] });
    const file = await collect(pagesOf({ executions: [secret], unreadable: 2 }), { format: 'json' });
    expect([file.unreadable, file.maskedCount, JSON.parse(textOf(file)).isWhole]).toEqual([2, 1, false]);
  });

  it('ends at its largest size, says where, and requests no further page', async () => {
    let [asked, isClosed] = [0, false];
    async function* endless() {
      try {
        for (;;) yield page(++asked);
      } finally {
        isClosed = true;
      }
    }
    const file = await collect(endless(), { bytesMax: 2000 });
    expect(file.byteCount).toBeLessThan(2300);
    expect([file.end, isClosed]).toEqual([{ reason: 'size', oldest: Date.parse(ago(asked)) }, true]);
    expect(file.rowCount).toBe(asked);
  });

  it('keeps the pages it has when the service stops answering, and names the time from which rows are missing', async () => {
    const file = await collect(pagesOf(page(1, 2), new AppError('unavailable', 'gone')));
    expect([file.rowCount, file.end]).toEqual([2, { reason: 'service', oldest: Date.parse(ago(2)) }]);
  });

  it.each([
    [[new AppError('unavailable', 'gone')], 'gone'],
    [[page(1), new AppError('unauthorized', 'refused')], 'refused'],
    [[page(1), new Error('a fault of ours')], 'a fault of ours'],
  ])(
    'fails if the service fails before the first page, refuses the key, or the bot has a bug (case %#)',
    async (pages, reason) => {
      await expect(collect(pagesOf(...pages))).rejects.toThrow(reason);
    },
  );

  it('reports its progress after each page', async () => {
    const told: unknown[] = [];
    await collect(pagesOf(page(1, 2), page(3)), { onRows: (soFar) => void told.push(soFar) });
    expect(told).toEqual([
      { rowCount: 2, oldest: Date.parse(ago(2)) },
      { rowCount: 3, oldest: Date.parse(ago(3)) },
    ]);
  });

  it('that is cancelled has no file, and keeps its number of rows', async () => {
    const cancelling = new AbortController();
    const onRows = () => cancelling.abort();
    for (const end of [[], [new Error('aborted')]]) {
      const question = { ...facts, pages: pagesOf(page(1, 2), ...end), signal: cancelling.signal, onRows };
      expect(await collectExport(question)).toEqual({ kind: 'cancelled', rowCount: 2 });
    }
  });
});
