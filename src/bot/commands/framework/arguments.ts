/** Argument schemas that several commands share, with their error messages. */
import { z } from 'zod';
import { plainWord, type WindowExpression } from '../../domain/window-words.ts';
import { mayRepeat } from './parse.ts';

const nameUnitsMax = 200;

/** Slack replaces a typed channel with `<#C…|name>` and a person with `<@U…|name>`. @returns the text as typed */
export function typedMentions(text: string): string {
  return text.replace(
    /<([#@])([CGUW][A-Z0-9]{1,30})(?:\|([^<>|]*))?>/g,
    (_, mark: string, id: string, name = '') => `${mark}${name || id}`,
  );
}
const pageMax = 1_000_000_000;

export const whichWorkflow = 'Which workflow? Give its name, a part of it, its id or a link.';

const words = (missing: string, unitsMax: number, tooLong: string) =>
  z.string({ error: missing }).transform(typedMentions).pipe(z.string().max(unitsMax, tooLong));

const longName = `Give at most ${nameUnitsMax} characters of a workflow’s name.`;

/** The words that name a workflow. */
export const workflowText = words(whichWorkflow, nameUnitsMax, longName);

const whichRun =
  'Which run? Give its id or a link, or a workflow’s name for its newest failed run of the last 7 days, or else its newest run.';

/** Names an execution: id, link or workflow. */
export const executionText = words(whichRun, 2000, 'Give a run’s id or a link, or a workflow’s name.');

const whichDeployment = 'Which deployment? Give its id or a link, or a workflow’s name for its newest deployment.';

/** Names a deployment: id, link or workflow. */
export const deploymentText = words(whichDeployment, 2000, 'Give a deployment’s id or a link, or a workflow’s name.');

/** Words that a name or another text must contain. */
export const searchText = words('', nameUnitsMax, `Search for at most ${nameUnitsMax} characters.`).optional();

/** @returns whether the text contains the words, in any case; true if there are no words */
export function hasWords(text: string, words: string | undefined): boolean {
  return words === undefined || text.toLowerCase().includes(words.toLowerCase());
}

/** The value of `--window`, as parse.ts reads it. A window beside a name is read with the name. */
export const windowFlag = z.custom<WindowExpression>((value) => typeof value === 'object').optional();

/** A choice of a form. Only another version of the form can submit other values. */
export const oneOf = <const Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.enum(values, { error: 'Choose one.' });

/** A number that counts from 1. @param error sentence for anything else @param tooMany sentence for a number above `max` */
export function ordinal(error: string, max: number, tooMany: string) {
  return z.coerce.number({ error }).int(error).min(1, error).max(max, tooMany);
}

export const pageNumber = ordinal('Give a page number of 1 or more.', pageMax, 'Give a smaller page number.').default(
  1,
);

/** @returns a status in one spelling: lower case, with spaces for `-` and `_` */
export function statusWord(text: string): string {
  return text
    .toLowerCase()
    .split(/[\s_-]/)
    .map(plainWord)
    .filter(Boolean)
    .join(' ');
}

/** @returns a displayed status as one word, which `--status` takes */
export function typedStatus(label: string): string {
  return label.toLowerCase().split(' ').join('-');
}

/** Accepted, but not offered: they say nothing about a run. */
const unnamed: readonly string[] = ['unspecified', 'unknown'];

/** @param known as displayed */
export function unknownStatusText(word: string, known: readonly string[]): string {
  const named = mayRepeat(word) ? `Unknown status “${word}”.` : 'Unknown status.';
  return `${named} Available: ${known
    .filter((label) => !unnamed.includes(label))
    .map(typedStatus)
    .join(', ')}.`;
}

/**
 * Reads statuses as displayed or as the service spells them, in any case: `schema` reads a list with commas.
 * @param values accepted values
 * @param labelOf the displayed word of a value
 * @param phrases other words for a value, as `statusWord` returns them; one phrase may mean several values
 */
export function statusReader<const Value extends string>(
  values: readonly [Value, ...Value[]],
  labelOf: (value: string) => string,
  phrases: { readonly [Each in Value]?: readonly string[] } = {},
) {
  const known = values.flatMap((value) =>
    [value, labelOf(value), ...(phrases[value] ?? [])].map((phrase) => ({ value, phrase: statusWord(phrase) })),
  );
  const meaning = (text: string) => [
    ...new Set(known.flatMap(({ value, phrase }) => (phrase === statusWord(text) ? [value] : []))),
  ];
  const schema = z
    .string()
    .transform((text, { addIssue }) =>
      text.split(',').flatMap((part) => {
        const found = meaning(part);
        const message = unknownStatusText(part.trim(), values.map(labelOf));
        if (found.length === 0) addIssue({ code: 'custom', message });
        return found;
      }),
    )
    .optional();
  /** @returns the statuses that words name, and the other words; the longer phrase wins: `not healthy` is not `healthy` */
  const among = ([first, ...rest]: readonly string[]): Among<Value> => {
    if (first === undefined) return { statuses: [], others: [] };
    for (let length = Math.min(phraseWordsMax, rest.length + 1); length > 0; length -= 1) {
      const statuses = meaning([first, ...rest].slice(0, length).join(' '));
      const left = statuses.length > 0 ? among(rest.slice(length - 1)) : undefined;
      if (left) return { statuses: [...statuses, ...left.statuses], others: left.others };
    }
    const { statuses, others } = among(rest);
    return { statuses, others: [first, ...others] };
  };
  return { schema, among };
}

/** `completed with errors` */
const phraseWordsMax = 3;

type Among<Value> = { readonly statuses: readonly Value[]; readonly others: readonly string[] };
