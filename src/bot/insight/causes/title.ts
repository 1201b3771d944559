/** The title of a cause: the end of the error, and as much of what is before it as fits. */
import { isPlaceholder, namedPlaceholders } from './placeholders.ts';
import type { Segment } from './segments.ts';

export const titleUnitsMax = 120;
const separator = ': ';

/** The end, and as much as fits: first what says something before it, then the address, then values. */
export function titleOf(segments: readonly Segment[], from: number, isSpoken: (segment: Segment) => boolean): string {
  const end = segments.slice(from).filter(isTelling);
  const telling = end.filter(({ weight }) => weight > 0);
  const shown = new Map(
    lastThatFit(telling.length > 0 ? telling : end).map((segment) => [segment, shownText(segment)]),
  );
  let units = unitsOf([...shown.keys()]);
  const first = segments.findLastIndex((segment, index) => index < from && isSpoken(segment));
  const before = segments.slice(0, from).toReversed();
  const near = (end.some(isSpoken) ? [] : segments.slice(first + 1, from).toReversed()).filter(isTold);
  const other = before.findIndex((segment) => !isShownBefore(segment));
  const codes = other < 0 ? before : before.slice(0, other);
  for (const segment of [...codes, ...end.toReversed(), ...near]) {
    if (shown.has(segment)) continue;
    const text = shownText(segment);
    const isOfEnd = end.includes(segment) && segment.weight > 0;
    const head = headThatFits(text, titleUnitsMax - units, isOfEnd ? headUnitsMin : text.length);
    if (head !== '') shown.set(segment, head);
    if (head !== text && isOfEnd) break;
    units += head === '' ? 0 : head.length + separator.length;
  }
  return clipped(
    segments
      .filter((segment) => shown.has(segment))
      .map((segment, index) => `${index > 0 ? segment.joint : ''}${shown.get(segment)}`)
      .join(''),
  );
}

/** Keeps the beginning of the last segment if at least this much of it fits. */
const headUnitsMin = 24;

/** @returns the text, its beginning, or nothing if less than a minimum of it fits */
function headThatFits(text: string, unitsLeft: number, unitsMin: number): string {
  const head = text.length <= unitsLeft ? text : cutAt(text, unitsLeft);
  return head === text || head.length >= unitsMin ? head : '';
}

function isTold({ isWrapper, weight, text, words }: Segment): boolean {
  return (
    !isWrapper &&
    weight > 0 &&
    !/[\ue010-\ue018] reverted$/.test(text) &&
    (words.length > 1 || /^\p{Lu}/u.test(text)) &&
    !/^(?:\w+ )?error -?\d+/i.test(text)
  );
}

/** The last segments that fit a title; at least one. */
function lastThatFit(segments: readonly Segment[]): readonly Segment[] {
  let units = 0;
  const first = segments.findLastIndex((segment) => {
    units += unitsOf([segment]);
    return units > titleUnitsMax;
  });
  return segments.slice(Math.min(first + 1, segments.length - 1));
}

/** An HTTP status, an address, or a code alone, as in `NoSuchKey:` and `AADSTS700016:`. */
function isShownBefore(segment: Segment | undefined): boolean {
  if (segment === undefined) return false;
  return (
    segment.isAddress ||
    segment.isStatus ||
    /^code \S{1,60}$|^[A-Z][A-Z\d_]{3,40}$|^[A-Z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,6}$/.test(segment.text)
  );
}

function shownText({ text }: Segment): string {
  return namedPlaceholders(withoutEndingList(text));
}

function unitsOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + shownText(segment).length + separator.length, 0);
}

/** A list of values at the end says no more than its first. */
function withoutEndingList(text: string): string {
  let end = text.length;
  for (let at = text.length - 1; at >= 0 && /[…\ue010-\ue018\s,;|/-]/.test(text[at] ?? ''); at -= 1) {
    if (isPlaceholder(text[at] ?? '')) end = at + 1;
  }
  return text.slice(0, end);
}

function clipped(title: string): string {
  const letters = [...title];
  if (letters.length <= titleUnitsMax) return title;
  return cutAt(title, titleUnitsMax);
}

/** @returns the beginning, at the end of a word */
function cutAt(text: string, unitsMax: number): string {
  const cut = [...text].slice(0, unitsMax - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/, '').replace(/[\s,;:(…\ue010-\ue018-]{1,10}$/, '')}…`;
}

/** Returns false for wrapping text, unless it is the last. */
export function isTelling({ isWrapper }: Segment, index: number, all: readonly Segment[]): boolean {
  return !isWrapper || index === all.length - 1;
}
