/** Reads patterns of other projects: the literals that they begin with, and if they scan a text once. */

export const prefixUnitsMin = 3;

/** Refuses patterns that could scan a text more than once: unbounded or nested repetition, or two adjacent repetitions of the same text. */
export function isLinear({ source }: { readonly source: string }): boolean {
  const plain = source
    .replace(/\\./g, '_')
    .replace(/\[[^\]]*\]/g, '_')
    .replace(/\(\?(?:<\w+>|[:=!]|<[=!])/g, '(');
  return !/[*+]|\{\d+,\}/.test(plain) && !/\([^()]*[}?][^()]*\)[{?]/.test(plain) && !/\}(?:\(_\?\)|_\?)_\{/.test(plain);
}

/** The literals that a match can begin with, after assertions: one, or each of a group. */
export function literalBeginnings(source: string): readonly string[] {
  const rest = withoutBoundary(source);
  const [, choices, after = ''] = /^\((?:\?<\w+>|\?:)?([\w|-]+)\)(.*)$/.exec(rest) ?? [];
  if (choices !== undefined) return choices.split('|').map((choice) => choice + literal(after));
  return [literal(rest)];
}

/** The scanner finds the beginning of a word, in escaped text too. */
export function withoutBoundary(source: string): string {
  return source.replace(/^(?:\\b|\(\?<!\\p\{L\}\))/, '');
}

function literal(source: string): string {
  const [found = ''] = /^(?:[A-Za-z0-9_-]|\\[./-])*/.exec(source) ?? [];
  return found.replaceAll('\\', '');
}

export function quoted(text: string): string {
  return `'${text}'`;
}
