/** The most expensive texts for a regular expression, made from its own alphabet. */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import type { Pattern } from './patterns.ts';

type Piece = AST.Element | AST.Alternative | AST.Pattern;

/** A bounded repetition wider than this costs as much per character as an unbounded one on a short text. */
const repeatsMax = 40;
/** A group that repeats as often is a list. */
const listMin = 8;

/** @returns the ways in which the pattern reads text more than once; empty for a linear one */
export function rescansOf(pattern: Pick<Pattern, 'source' | 'flags'>): readonly string[] {
  const { flags } = pattern;
  const { reports } = analyse({ source: withoutUpperBounds(pattern), flags });
  const { reports: ofLists } = analyse({ source: withEndlessLists(pattern), flags });
  const nested = ofLists.filter((report) => report.type !== 'Move' && report.exponential);
  return [...reports, ...nested].map((report) =>
    report.type === 'Move'
      ? `is searched for again from each place in ${report.quant.raw}`
      : `backtracks ${report.exponential ? 'exponentially' : 'polynomially'}`,
  );
}

/** Removes upper bounds: a pattern that is superlinear without them is also slow within them. */
export function withoutUpperBounds(pattern: Pick<Pattern, 'source' | 'flags'>): string {
  return withoutBounds(pattern, ({ max }) => max > repeatsMax);
}

/**
 * Removes the upper bounds of short lists and of all that their entries repeat. If two neighbours in an entry match the
 * same character, as in `(?:,[a ]{0,9} ?=){1,30}$`, each entry doubles the time, and thirty entries suffice.
 */
function withEndlessLists(pattern: Pick<Pattern, 'source' | 'flags'>): string {
  return withoutBounds(pattern, (quantifier) => {
    if (quantifier.max >= listMin) return true;
    const isOfGroup = quantifier.element.type === 'Group' || quantifier.element.type === 'CapturingGroup';
    return !isOfGroup && quantifier.max > quantifier.min && isInList(quantifier);
  });
}

function isInList(node: AST.Node): boolean {
  const { parent } = node;
  return parent !== null && ((parent.type === 'Quantifier' && parent.max >= listMin) || isInList(parent));
}

function withoutBounds(
  { source, flags }: Pick<Pattern, 'source' | 'flags'>,
  isRemoved: (quantifier: AST.Quantifier) => boolean,
): string {
  const bounds: { readonly from: number; readonly to: number; readonly text: string }[] = [];
  visitRegExpAST(new RegExpParser().parseLiteral(`/${source}/${flags}`), {
    onQuantifierLeave: (quantifier) => {
      const { element, min, max, greedy, end } = quantifier;
      if (max === Number.POSITIVE_INFINITY || !isRemoved(quantifier)) return;
      bounds.push({ from: element.end - 1, to: end - 1, text: `{${Math.min(min, 3)},}${greedy ? '' : '?'}` });
    },
  });
  return bounds
    .toSorted((one, other) => other.from - one.from)
    .reduce((left, { from, to, text }) => left.slice(0, from) + text + left.slice(to), source);
}

/** @returns short texts to repeat: near matches, their parts, each of their characters, and pairs of these */
export function unitsOf({ source, flags }: Pick<Pattern, 'source' | 'flags'>): readonly string[] {
  const { pattern } = new RegExpParser().parseLiteral(`/${source}/${flags}`);
  const samples = pattern.alternatives.map(sampleOf).filter((text) => text !== '');
  const alphabet = [...new Set(samples.join(''))].slice(0, 12);
  const beginnings = samples.flatMap((text) =>
    [1, 2, 3].map((part) => text.slice(0, Math.ceil((text.length * part) / 4))),
  );
  const pairs = alphabet.slice(0, 5).flatMap((one) => alphabet.slice(0, 5).map((other) => one + other));
  return [...new Set([...samples, ...beginnings, ...alphabet, ...pairs, 'a', ' ', '"'])].slice(0, 48);
}

/** One text that the piece matches, or nearly. */
function sampleOf(piece: Piece | undefined): string {
  switch (piece?.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return sampleOf(piece.alternatives[0]);
    case 'Alternative':
      return piece.elements.map(sampleOf).join('');
    case 'Quantifier':
      return sampleOf(piece.element).repeat(Math.min(Math.max(piece.min, 1), 24));
    case 'Character':
      return String.fromCodePoint(piece.value);
    case 'CharacterSet':
    case 'CharacterClass':
      return charactersOf(piece.raw);
    default:
      return '';
  }
}

const candidates = [
  'a',
  '7',
  ' ',
  'Z',
  '"',
  '-',
  '.',
  '/',
  ':',
  '{',
  '[',
  '(',
  '\n',
  '…',
  'é',
  '日',
  '\u001b',
  '\u200d',
  '\u0301',
];
const known = new Map<string, string>();

function charactersOf(raw: string): string {
  const found = known.get(raw) ?? candidates.find((one) => new RegExp(`^${raw}$`, 'su').test(one)) ?? 'a';
  known.set(raw, found);
  return found;
}
