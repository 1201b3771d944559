/** The title of a cause: the end of the error, and as much of what is before it as fits. */
import { isPlaceholder, namedPlaceholders } from './placeholders.ts';
import type { Segment } from './segments.ts';

const titleUnitsMax = 120;
const separator = ': ';

/** The end, and as much as fits: first what says something before it, then the address, then values. */
export function titleOf(segments: readonly Segment[], from: number, isSpoken: (segment: Segment) => boolean): string {
  const end = segments.slice(from).filter(isTelling);
  const telling = end.filter(({ weight }) => weight > 0);
  const shown = new Set(lastThatFit(telling.length > 0 ? telling : end));
  let units = unitsOf([...shown]);
  const first = segments.findLastIndex((segment, index) => index < from && isSpoken(segment));
  const before = segments.slice(0, from).toReversed();
  const near = end.some(isSpoken) ? [] : segments.slice(first + 1, from).toReversed();
  const other = before.findIndex((segment) => !isShownBefore(segment));
  const codes = other < 0 ? before : before.slice(0, other);
  for (const segment of [...codes, ...near.filter(isTold), ...end.toReversed()]) {
    if (shown.has(segment) || units + unitsOf([segment]) > titleUnitsMax) continue;
    units += unitsOf([segment]);
    shown.add(segment);
  }
  return clipped(
    segments
      .filter((segment) => shown.has(segment))
      .map(shownText)
      .join(separator),
  );
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
  const cut = letters.slice(0, titleUnitsMax - 1).join('');
  return `${cut.replace(/\s\S{0,30}$/, '').replace(/[\s,;:(…\ue010-\ue018-]{1,10}$/, '')}…`;
}

/** Returns false for wrapping text, unless it is the last. */
export function isTelling({ isWrapper }: Segment, index: number, all: readonly Segment[]): boolean {
  return !isWrapper || index === all.length - 1;
}
