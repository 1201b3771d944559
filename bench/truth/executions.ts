/** Failing steps and impossible times: how often they are named wrongly, over executions whose course is known. */
import { findFailingCall, type Suspect } from '../../src/bot/insight/executions/failing-call.ts';
import { type TimelineEvent, timelineOf } from '../../src/bot/insight/executions/timeline.ts';
import { type Chance, createChance } from '../../test/support/insight/arrivals.ts';
import { finished } from '../../test/support/runner/finished.ts';
import type { TruthSection } from './section.ts';

type Course = {
  readonly calls: readonly Suspect[];
  readonly errors: readonly string[];
  /** Index of the call that ended the execution; null if none did. */
  readonly fatal: number | null;
};

/** How the run's own error quotes that of the step. */
type Quote = (error: string, chance: Chance) => string;

const plain: Quote = (error, chance) => pick(prefixes, chance).replace('*', error);
const quotes: readonly (readonly [string, Quote])[] = [
  ['wrapped', plain],
  ['unchanged', (error) => error],
  ['wrapped twice', (error, chance) => plain(plain(error, chance), chance)],
  ['cut at its end', (error, chance) => plain(error, chance).slice(0, 60 + chance.between(0, 60))],
  ['cut at its beginning', (error, chance) => plain(error, chance).slice(-(40 + chance.between(0, 60)))],
  ['in JSON', (error, chance) => JSON.stringify({ code: chance.between(1, 20), message: error, details: [] })],
  ['broken into lines', (error, chance) => plain(error, chance).replaceAll(': ', ':\n\t')],
  ['in other words', (_, chance) => `workflow failed: ${pick(reasons, chance)}`],
  ['left out', () => ''],
];

const prefixes = [
  'run failed: *',
  'failed to execute workflow: engine: *',
  'execution error: step returned: *; giving up',
];
const reasons = ['result could not be produced', 'the engine stopped', 'quorum not reached', 'user code panicked'];

const capabilities = ['http-actions@1.0.0', 'evm-ethereum-mainnet@1.0.0', 'consensus@1.0.0', 'confidential-http@1.0.0'];
const methods = ['SendRequest', 'WriteReport', 'CallContract', 'Report', 'FilterLogs'];
const faults: readonly ((chance: Chance) => string)[] = [
  () => 'context deadline exceeded',
  (chance) => `unexpected status ${chance.between(400, 599)} from api.example`,
  (chance) => `execution reverted: custom error 0x${chance.between(0x10000000, 0x7fffffff).toString(16)}`,
  (chance) => `dial tcp 10.0.${chance.between(0, 9)}.${chance.between(1, 99)}:443: connect: connection refused`,
  () => 'EOF',
  () => 'not found',
  (chance) =>
    `insufficient funds for gas * price + value: have ${chance.between(1, 999)} want ${chance.between(1000, 9999)}`,
  (chance) => `quorum not reached: ${chance.between(0, 6)} of 10 observations`,
  () => 'rate limit exceeded',
];

function pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[], chance: Chance): Value {
  const value = values[chance.between(0, values.length - 1)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

/** An execution as it goes on, one call after the other. */
function createCourse(chance: Chance) {
  const calls: Suspect[] = [];
  let ms = 0;
  const callee = () => ({ capability: pick(capabilities, chance), method: pick(methods, chance) });
  const add = (called: ReturnType<typeof callee>, error: string | null, more: Partial<Suspect> = {}) => {
    const startMs = ms + chance.between(1, 50);
    ms = startMs + chance.between(5, 3000);
    const done = error === null ? 'succeeded' : pick(['failed', 'completed_with_errors'], chance);
    calls.push({ ...called, state: done, startMs, endMs: ms, errors: error === null ? [] : [{ error }], ...more });
    return calls.length - 1;
  };
  const succeed = (most: number) => {
    for (let left = chance.between(0, most); left > 0; left -= 1) add(callee(), null);
  };
  return { calls, add, callee, succeed, fault: () => pick(faults, chance)(chance) };
}

type Family = readonly [name: string, make: (chance: Chance, quote: Quote) => Course];

/** Each begins with some calls that succeed. */
const families: readonly Family[] = [
  ['died of a step', (chance, quote) => dies(chance, quote, () => undefined)],
  [
    'a retry succeeded, then died of another step',
    (chance, quote) =>
      dies(chance, quote, ({ add, callee, fault, succeed }) => {
        const called = callee();
        for (let left = chance.between(1, 3); left > 0; left -= 1) add(called, fault());
        add(called, null);
        succeed(3);
      }),
  ],
  [
    'an error was ignored, then died of another step',
    (chance, quote) =>
      dies(chance, quote, ({ add, callee, fault, succeed }) => {
        add(callee(), fault());
        succeed(3);
      }),
  ],
  [
    'a step failed alike before, with other arguments',
    (chance, quote) => {
      const course = createCourse(chance);
      const [called, error] = [course.callee(), course.fault()];
      course.succeed(4);
      course.add(called, error);
      course.succeed(2);
      return { calls: course.calls, fatal: course.add(course.callee(), error), errors: [quote(error, chance)] };
    },
  ],
  [
    'went on after the error, then died of it',
    (chance, quote) => {
      const course = createCourse(chance);
      course.succeed(4);
      const error = course.fault();
      const fatal = course.add(course.callee(), error);
      course.succeed(3);
      return { calls: course.calls, fatal, errors: [quote(error, chance)] };
    },
  ],
  ['every attempt failed', (chance, quote) => everyAttemptFailed(chance, quote)],
  ['two steps failed at the same time', (chance, quote) => failedTogether(chance, quote)],
  ['an error was ignored, then died by itself', (chance, quote) => diedByItself(chance, quote, false)],
  ['a retry succeeded, then died by itself', (chance, quote) => diedByItself(chance, quote, true)],
];

function dies(chance: Chance, quote: Quote, before: (course: ReturnType<typeof createCourse>) => void): Course {
  const course = createCourse(chance);
  course.succeed(4);
  before(course);
  const error = course.fault();
  const fatal = course.add(course.callee(), error);
  // Another may still be under way and end well.
  if (chance.hits(0.2)) course.add(course.callee(), null, { startMs: course.calls[fatal]?.startMs ?? 0 });
  return { calls: course.calls, fatal, errors: [quote(error, chance)] };
}

function everyAttemptFailed(chance: Chance, quote: Quote): Course {
  const course = createCourse(chance);
  course.succeed(4);
  const [called, error] = [course.callee(), course.fault()];
  for (let left = chance.between(1, 3); left > 0; left -= 1)
    course.add(called, chance.hits(0.5) ? error : course.fault());
  return { calls: course.calls, fatal: course.add(called, error), errors: [quote(error, chance)] };
}

/** The run ends with the error of one of them. */
function failedTogether(chance: Chance, quote: Quote): Course {
  const course = createCourse(chance);
  course.succeed(4);
  const errors = [course.fault(), course.fault()] as const;
  const called = course.callee();
  const other = {
    ...called,
    method: pick(
      methods.filter((method) => method !== called.method),
      chance,
    ),
  };
  const first = course.add(called, errors[0]);
  const second = course.add(other, errors[1], { startMs: course.calls[first]?.startMs ?? 0 });
  const isFirst = chance.hits(0.5);
  return { calls: course.calls, fatal: isFirst ? first : second, errors: [quote(errors[isFirst ? 0 : 1], chance)] };
}

/** The run's own error comes from the same source as those of the steps, so some have the same words. */
function diedByItself(chance: Chance, quote: Quote, isRetried: boolean): Course {
  const course = createCourse(chance);
  course.succeed(4);
  const [called, error] = [course.callee(), course.fault()];
  course.add(called, error);
  if (isRetried) course.add(called, null);
  course.succeed(3);
  return { calls: course.calls, fatal: null, errors: [quote(course.fault(), chance)] };
}

const each = 1500;

type Row = readonly (string | number)[];

function failingRow(label: string, courses: readonly Course[]): Row {
  const judged = courses.map(({ calls, errors, fatal }) => {
    const found = finished(
      findFailingCall(
        calls,
        errors.filter((error) => error !== '').map((error) => ({ error })),
      ),
    );
    return { certainty: found?.certainty, isRight: found?.index === fatal };
  });
  const of = (certainty: string) => judged.filter((one) => one.certainty === certainty);
  const wrong = (certainty: string) => of(certainty).filter(({ isRight }) => !isRight).length;
  const died = courses.filter(({ fatal }) => fatal !== null).length;
  const found = judged.filter(({ isRight, certainty }) => isRight && certainty !== undefined).length;
  return [
    label,
    courses.length,
    ...(['certain', 'likely', 'possible'] as const).flatMap((certainty) => [
      of(certainty).length,
      percent(wrong(certainty), of(certainty).length),
    ]),
    percent(found, died),
  ];
}

function percent(part: number, of: number): string {
  return of === 0 ? '-' : `${((100 * part) / of).toFixed(1)} %`;
}

function failingRows(): readonly Row[] {
  const made = families.map(([name, make], family) =>
    quotes.map(([how, quote], index) => ({
      name,
      how,
      courses: Array.from({ length: Math.ceil(each / quotes.length) }, (_, seed) =>
        make(createChance(seed, 10 * family + index), quote),
      ),
    })),
  );
  const all = made.flat();
  const rowOf = (label: string, chosen: typeof all) =>
    failingRow(
      label,
      chosen.flatMap(({ courses }) => courses),
    );
  return [
    ...families.map(([name]) =>
      rowOf(
        name,
        all.filter((one) => one.name === name),
      ),
    ),
    ...quotes.map(([how]) =>
      rowOf(
        `the run's error is that of the step ${how}`,
        all.filter((one) => one.how === how),
      ),
    ),
    rowOf('all', all),
  ];
}

/** A clock that differs by up to so much, and at least a quarter of it. */
const skews: readonly (readonly [string, number])[] = [
  ['right clocks', 0],
  ['clocks up to 4 s off', 4_000],
  ['clocks up to a minute off', 60_000],
  ['clocks up to an hour off', 3_600_000],
  ['clocks up to a day off', 86_400_000],
  ['clocks up to ten days off', 864_000_000],
];

const origin = Date.parse('2026-11-20T10:00:00Z');

/** One step of each execution has a clock that is off; the others may end after the execution by up to 3 s. */
function timeRow([label, skewMs]: readonly [string, number], family: number): Row {
  let [right, called, wrong, found, outside] = [0, 0, 0, 0, 0];
  for (let seed = 0; seed < each; seed += 1) {
    const chance = createChance(seed, 500 + family);
    const lengthMs = Math.round(Math.exp(chance.unit() * 9) * 100);
    const offMs = (chance.hits(0.5) ? 1 : -1) * Math.round(skewMs * (0.25 + 0.75 * chance.unit()));
    const events = Array.from({ length: chance.between(2, 8) }, (_, index): TimelineEvent => {
      const startedAt = origin + chance.between(0, lengthMs) + (index === 0 ? offMs : 0);
      const finishedAt = startedAt + chance.between(1, Math.ceil(lengthMs / 4));
      const late = Math.min(finishedAt, origin + lengthMs + 3000 + (index === 0 ? offMs : 0));
      const times = { startedAt, finishedAt: Math.max(startedAt, late) };
      return { capabilityID: `step ${index}`, method: null, status: 'COMPLETED', errors: null, ...times };
    });
    const execution = { status: 'SUCCESS', startedAt: origin, finishedAt: origin + lengthMs, errors: null };
    const { calls, totalMs } = finished(timelineOf({ execution, events, now: origin + 30 * 86_400_000 }));
    for (const { capability, timeFault } of calls) {
      const isOff = capability === 'step 0' && skewMs > 4_000;
      // A time within the run's own length of it may be right.
      if (isOff && Math.abs(offMs) > 2 * lengthMs + 5_000) outside += 1;
      if (!isOff) right += 1;
      if (timeFault === null) continue;
      called += 1;
      if (!isOff) wrong += 1;
      else if (Math.abs(offMs) > 2 * lengthMs + 5_000) found += 1;
    }
    if (totalMs > 2 * lengthMs + 5_000) throw new Error('an impossible time stretches the scale');
  }
  return [
    `impossible time, ${label}`,
    right + outside,
    called,
    percent(wrong, right),
    '-',
    '-',
    '-',
    '-',
    percent(found, outside),
  ];
}

export async function measure(): Promise<TruthSection> {
  const said = ['certain', 'probable', 'possible'].flatMap((word) => [`Said as ${word}`, 'False']);
  const head = ['Executions', 'Number', ...said, 'Found'];
  return { title: 'Failing steps and impossible times', head, rows: [...failingRows(), ...skews.map(timeRow)] };
}
