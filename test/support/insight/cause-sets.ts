/** Labelled errors, and how well the rules put errors of one cause together. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { causeOf } from '../../../src/bot/insight/causes/cause.ts';

/**
 * `same`: the label that another author gave the same fault. `point`: parts, separated by `|`, without which a title does
 * not say what went wrong.
 */
const labelled = z.array(
  z.strictObject({
    cause: z.string(),
    same: z.string().optional(),
    point: z.string().optional(),
    errors: z.array(z.string()).min(1),
  }),
);

export type LabelledError = {
  readonly cause: string;
  readonly point: string | undefined;
  readonly error: string;
  readonly fingerprint: string;
  readonly title: string;
};

/** @param name of a file in `test/fixtures` */
export function readCauseSet(name: string): readonly LabelledError[] {
  const set = labelled.parse(JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')));
  return set.flatMap(({ cause, same, point, errors }) =>
    errors.map((error) => {
      const { fingerprint, title } = causeOf({ errors: [{ error, count: 9 }], classifiedStatus: null });
      return { cause: same ?? cause, point, error, fingerprint, title };
    }),
  );
}

export type CauseFigures = {
  readonly errors: number;
  readonly causes: number;
  /** The share of grouped pairs that belong together. */
  readonly precision: number;
  /** The share of pairs that belong together and are grouped. */
  readonly recall: number;
  /** Causes whose title lacks the point; of the causes that have one. */
  readonly badTitles: readonly string[];
  readonly titled: number;
  readonly mistakes: readonly string[];
};

export function causeFigures(errors: readonly LabelledError[]): CauseFigures {
  const pairs = errors.flatMap((one, at) => errors.slice(at + 1).map((other) => [one, other] as const));
  const together = pairs.filter(([one, other]) => one.fingerprint === other.fingerprint);
  const alike = pairs.filter(([one, other]) => one.cause === other.cause);
  const right = together.filter(([one, other]) => one.cause === other.cause);
  const wrong = together.filter(([one, other]) => one.cause !== other.cause);
  const missed = alike.filter(([one, other]) => one.fingerprint !== other.fingerprint);
  const bad = Map.groupBy(errors.filter(lacksPoint), ({ cause }) => cause);
  return {
    errors: errors.length,
    causes: new Set(errors.map(({ cause }) => cause)).size,
    precision: right.length / together.length,
    recall: right.length / alike.length,
    badTitles: [...bad.values()].flatMap(([first]) => (first ? [`${first.cause}: ${first.title}`] : [])),
    titled: new Set(errors.filter(({ point }) => point !== undefined).map(({ cause }) => cause)).size,
    mistakes: [...wrong, ...missed].map(([one, other]) => `${one.error}\n  and ${other.error}`),
  };
}

function lacksPoint({ point, title }: LabelledError): boolean {
  const shown = title.toLowerCase();
  return (
    (point ?? '').split('|').some((part) => !shown.includes(part.toLowerCase())) || /(?:<\w+>[\s,;]*){2,}$/.test(title)
  );
}
