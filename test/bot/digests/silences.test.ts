/** What the bot reads to call a workflow silent, and what it says if some of that cannot be read. */
import { describe, expect, it } from 'vitest';
import { querySilences } from '../../../src/bot/digests/silences.ts';
import { AppError } from '../../../src/shared/errors.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const now = Date.parse('2026-11-20T12:00:00Z');
const registeredAt = new Date(now - 60 * dayMs).toISOString();
const provenance = { source: 'live', asOf: now, missing: [] } as const;

/** Ran every ten minutes until two hours ago, as a service would say. */
function service(starts = Array.from({ length: 6000 }, (_, index) => now - (120 + 10 * index) * minuteMs)) {
  const requests: string[] = [];
  const answer = async <Data>(name: string, data: Data) => {
    requests.push(name);
    return { data, provenance };
  };
  return {
    requests,
    newestStartsOf: (uuids: readonly string[]) =>
      answer('newest', new Map(uuids.map((uuid) => [uuid, { starts: starts.slice(0, 60), isWhole: false }]))),
    startsIn: (periods: readonly { readonly from: number; readonly to: number }[]) =>
      answer(
        'periods',
        periods.map(({ from, to }) => {
          const within = starts.filter((start) => start >= from && start < to).toReversed();
          return { starts: within.slice(0, 25), isCut: within.length >= 25 };
        }),
      ),
    activities: (filters: readonly unknown[]) =>
      answer(
        'days',
        filters.map(() => []),
      ),
  };
}

const broken = async () => {
  throw new AppError('unavailable', 'The query service does not answer.');
};
const workflows = (count: number) => Array.from({ length: count }, (_, index) => ({ uuid: `u${index}`, registeredAt }));
const moment = { now, isPast: false };

it('a workflow is silent with the evidence for it: two lists for all workflows', async () => {
  const ask = service();
  const { data, provenance: source } = await querySilences(ask, workflows(3), moment);
  expect([...data.keys()]).toEqual(['u0', 'u1', 'u2']);
  expect(data.get('u0')).toMatchObject({
    lastAt: now - 120 * minuteMs,
    expectedBy: now - 105 * minuteMs,
    ranBefore: 4,
  });
  expect(source.missing).toEqual([]);
  expect(ask.requests).toEqual(['newest', 'periods']);
});

it('one that is not overdue takes no further list', async () => {
  const ask = service(Array.from({ length: 100 }, (_, index) => now - (8 + 10 * index) * minuteMs));
  expect((await querySilences(ask, workflows(3), moment)).data.size).toBe(0);
  expect(ask.requests).toEqual(['newest']);
});

describe('silence is not known, rather than none, if', () => {
  it.each([
    ['the newest runs cannot be read', 'newestStartsOf', 'which workflows went silent'],
    ['the earlier weeks cannot be read', 'startsIn', 'whether 2 more workflows went silent'],
  ])('%s', async (_, query, words) => {
    const { data, provenance: source } = await querySilences({ ...service(), [query]: broken }, workflows(2), moment);
    expect(data.size).toBe(0);
    expect(source.missing).toContain(words);
  });

  it('the days of an irregular workflow cannot be read', async () => {
    const irregular = Array.from(
      { length: 5000 },
      (_, index) => now - 600 * minuteMs - index * (5 + (index % 7) ** 2) * 9000,
    );
    const ask = { ...service(irregular.toSorted((one, other) => other - one)), activities: broken };
    const { data, provenance: source } = await querySilences(ask, workflows(1), moment);
    expect(data.size).toBe(0);
    expect(source.missing).toContain('whether 1 more workflow went silent');
  });

  it('one of the earlier weeks is missing in the answer, or too many workflows are overdue', async () => {
    const whole = service();
    const startsIn: typeof whole.startsIn = async (periods) => {
      const { data, ...rest } = await whole.startsIn(periods);
      return { ...rest, data: data.with(0, null as never) };
    };
    const one = await querySilences({ ...whole, startsIn }, workflows(2), moment);
    expect([...one.data.keys()]).toEqual(['u1']);
    expect(one.provenance.missing).toContain('whether 1 more workflow went silent');
    const many = await querySilences(service(), workflows(30), moment);
    expect(many.data.size).toBe(25);
    expect(many.provenance.missing).toContain('whether 5 more workflows went silent');
  });
});

it('a stale answer cannot prove silence after its own time', async () => {
  const ask = service();
  const stale = { source: 'stale', asOf: now - 110 * minuteMs, missing: [] } as const;
  const newestStartsOf: typeof ask.newestStartsOf = async (uuids) => ({
    ...(await ask.newestStartsOf(uuids)),
    provenance: stale as never,
  });
  expect((await querySilences({ ...ask, newestStartsOf }, workflows(1), moment)).data.size).toBe(0);
});
