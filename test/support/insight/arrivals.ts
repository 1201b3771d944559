/** Seeded starts of executions in families of arrivals: schedules, chance, bursts, office hours and cycles. */
import { createRandom } from '../../../src/query-service/sample/random.ts';

export type Chance = {
  /** @returns a number from 0 up to 1 */
  readonly unit: () => number;
  readonly hits: (probability: number) => boolean;
  readonly between: (min: number, max: number) => number;
  /** Exponential with this mean. */
  readonly exponential: (mean: number) => number;
  /** Standard normal, by Box and Muller. */
  readonly normal: () => number;
};

export function createChance(seed: number, second = 0): Chance {
  const random = createRandom(seed, second, 14);
  const unit = () => random.between(0, 0xff_ff_ff) / 0x1_00_00_00;
  const nonZero = () => 1 - unit();
  return {
    unit,
    hits: (probability) => unit() < probability,
    between: random.between,
    exponential: (mean) => -mean * Math.log(nonZero()),
    normal: () => Math.sqrt(-2 * Math.log(nonZero())) * Math.cos(2 * Math.PI * unit()),
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Epoch milliseconds, `to` excluded. */
export type Span = { readonly from: number; readonly to: number };

export type ArrivalFamily =
  | 'schedule'
  | 'schedule with jitter'
  | 'Poisson'
  | 'log-normal gaps'
  | 'bursts'
  | 'office hours'
  | 'weekly'
  | 'drifting'
  | '14-day cycle';

export const arrivalFamilies: readonly ArrivalFamily[] = [
  'schedule',
  'schedule with jitter',
  'Poisson',
  'log-normal gaps',
  'bursts',
  'office hours',
  'weekly',
  'drifting',
  '14-day cycle',
];

/**
 * @param everyMs the schedule's period, or the mean gap while executions arrive
 * @returns starts in order, epoch milliseconds
 */
export function arrivalsOf(family: ArrivalFamily, span: Span, everyMs: number, chance: Chance): readonly number[] {
  switch (family) {
    case 'schedule':
      return scheduled(span, everyMs, () => chance.between(0, Math.min(900, everyMs / 100)));
    case 'schedule with jitter':
      return scheduled(span, everyMs, () => chance.unit() * 0.3 * everyMs);
    case 'Poisson':
      return renewal(span, () => chance.exponential(everyMs));
    case 'log-normal gaps':
      return renewal(span, () => everyMs * Math.exp(1.2 * chance.normal() - 0.72));
    case 'bursts':
      return bursts(span, everyMs, chance);
    case 'office hours':
      return scheduled(span, everyMs, () => chance.between(0, 900)).filter(isOfficeHour);
    case 'weekly':
      // A batch every Monday at 02:00 UTC.
      return scheduled(span, everyMs, () => chance.between(0, 900)).filter((at) => isMondayBatch(at));
    case 'drifting':
      return renewal(span, (at) => everyMs * (1 + (2 * (at - span.from)) / (span.to - span.from)));
    case '14-day cycle':
      return renewal(span, (at) => chance.exponential(everyMs * (isBusyFortnightHalf(at) ? 0.5 : 4)));
  }
}

function scheduled({ from, to }: Span, everyMs: number, late: () => number): readonly number[] {
  const count = Math.max(0, Math.ceil((to - from) / everyMs));
  return Array.from({ length: count }, (_, index) => Math.round(from + index * everyMs + late())).filter(
    (at) => at < to,
  );
}

function renewal({ from, to }: Span, gapAt: (at: number) => number): readonly number[] {
  const starts: number[] = [];
  for (let at = from + gapAt(from); at < to; at += Math.max(1, gapAt(at))) starts.push(Math.round(at));
  return starts;
}

/** Calls in quick succession, a mean of 20 each, with long pauses between them; the mean gap over all is `everyMs`. */
function bursts({ from, to }: Span, everyMs: number, chance: Chance): readonly number[] {
  const [length, within] = [20, everyMs / 20];
  const starts: number[] = [];
  let at = from;
  while (at < to) {
    at += chance.exponential(length * everyMs);
    for (let left = 1 + Math.floor(chance.exponential(length)); left > 0 && at < to; left -= 1) {
      starts.push(Math.round(at));
      at += chance.exponential(within);
    }
  }
  return starts;
}

/** Monday to Friday, 8:00 to 18:00 UTC. */
function isOfficeHour(at: number): boolean {
  const [day, hour] = [new Date(at).getUTCDay(), new Date(at).getUTCHours()];
  return day >= 1 && day <= 5 && hour >= 8 && hour < 18;
}

function isMondayBatch(at: number): boolean {
  const date = new Date(at);
  return date.getUTCDay() === 1 && date.getUTCHours() >= 2 && date.getUTCHours() < 6;
}

function isBusyFortnightHalf(at: number): boolean {
  return Math.floor(at / (7 * dayMs)) % 2 === 0;
}

/** Decides for each start if the execution fails, one after the other. */
export type FailureFamily = 'independent' | 'bursty' | 'overdispersed' | 'creeping';

export const failureFamilies: readonly FailureFamily[] = ['independent', 'bursty', 'overdispersed', 'creeping'];

/**
 * @param rate the mean share that fails over the whole span; `creeping` rises from 0 to twice the rate
 * @returns one boolean for each start: true if it failed
 */
export function failuresOfStarts(
  family: FailureFamily,
  starts: readonly number[],
  rate: number,
  chance: Chance,
): readonly boolean[] {
  switch (family) {
    case 'independent':
      return starts.map(() => chance.hits(rate));
    case 'bursty':
      return burstyFailures(starts, rate, chance);
    case 'overdispersed':
      return overdispersedFailures(starts, rate, chance);
    case 'creeping':
      return starts.map((_, index) => chance.hits(Math.min(1, (2 * rate * index) / starts.length)));
  }
}

/** Failures come in runs of five on average, in which nine of ten executions fail. */
function burstyFailures(starts: readonly number[], rate: number, chance: Chance): readonly boolean[] {
  const ends = 1 / 5;
  const share = Math.min(0.95, rate / 0.9);
  const begins = (share * ends) / (1 - share);
  let isBad = false;
  return starts.map(() => {
    isBad = chance.hits(isBad ? 1 - ends : begins);
    return isBad && chance.hits(0.9);
  });
}

/** The rate of each day is drawn anew: exponential around the mean. */
function overdispersedFailures(starts: readonly number[], rate: number, chance: Chance): readonly boolean[] {
  const rates = new Map<number, number>();
  return starts.map((at) => {
    const day = Math.floor(at / dayMs);
    const drawn = rates.get(day) ?? Math.min(1, chance.exponential(rate));
    rates.set(day, drawn);
    return chance.hits(drawn);
  });
}
