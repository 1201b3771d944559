/** Errors and root causes for people: long digits are shortened, and the end of an error is kept, since it has the reason. */
import type { RichTextText } from '@slack/types';
import type { Cause } from '../../insight/causes/cause.ts';
import { withoutPlaceholders } from '../../insight/causes/placeholders.ts';
import type { RootCause } from '../../insight/executions/root-cause.ts';
import { bold, date, rich, several, trusted, type Words } from '../blocks/rich-text.ts';
import { counted } from './number.ts';
import { outsideError, outsideLine, truncateAtWord, truncateMiddle } from './outside-text.ts';
import { preciseDuration } from './time.ts';

/** Encoded data; ids, hashes and addresses are shorter. */
const longHex = /\b(?:0x)?[0-9a-f]{80,}\b/gi;
/** Ids, hashes and addresses. */
const hexId = /\b0x[0-9a-f]{32,}\b/gi;
const endUnits = 8;
/** Attached data; the reason is in the text around it. */
const longJson = /\{"[^{}]{80,}\}/g;
/** Length that is masked and cleaned before it is shortened. */
const readUnitsMax = 20_000;

/** @param error from outside, of any length @returns at most `max` units, both ends kept */
export function errorText(error: string, max: number): RichTextText {
  return fitted(readable(error), max);
}

function fitted(text: string, max: number): RichTextText {
  return trusted(text.length <= max ? text : truncateMiddle(withShortIds(text), max));
}

const otherTitleUnitsMax = 120;

/** Without its logs it is not known to be the cause. @returns such as `1 node reported another error: “x509: certificate has expired”` */
export function otherErrorText({ title, nodes, error }: NonNullable<Cause['otherError']>): Words {
  const who = nodes > 0 ? counted(nodes, 'node') : 'Some nodes';
  return rich`${trusted(who)} reported another error: “${causeText([{ error }], title, otherTitleUnitsMax)}”`;
}

function withShortIds(text: string): string {
  return text.replace(hexId, (digits) => `${digits.slice(0, 6)}…${digits.slice(-4)}`);
}

type Errors = readonly { readonly error: string }[];

/**
 * A cause's title leaves out the variables, which are often important.
 * @param errors of its newest failure @param title of the cause
 * @returns the original text of the error from the title's beginning on; if it is not found, the title with `…` for each variable
 */
export function causeText(errors: Errors, title: string, max: number): RichTextText {
  return fitted(causeIn(errors, title) ?? outsideLine(withoutPlaceholders(title), readUnitsMax), max);
}

/** As `causeText`, without the end: an error says what is wrong at the beginning of its title. For a first line. */
export function causeBeginning(errors: Errors, title: string, max: number): RichTextText {
  return trusted(truncateAtWord(withShortIds(causeText(errors, title, readUnitsMax).text), max));
}

function causeIn(errors: Errors, title: string): string | undefined {
  const [beginning = ''] = title.replace(/^(?:<[a-z]{2,7}>[^\p{L}\p{N}<]{0,9}){1,9}/u, '').split('…');
  const words = beginning.trim().split(/\s+/).slice(0, 6);
  const texts = errors.slice(0, 5).map(({ error }) => readable(error));
  for (let length = words.length; length > 0; length -= 1) {
    const wanted = words
      .slice(0, length)
      .join(' ')
      .replace(/(?<=[\p{L}\p{N}]|^)[^\p{L}\p{N}]+$/u, '');
    if (!/\p{L}{3}/u.test(wanted)) continue;
    const found = texts.find((text) => text.includes(wanted));
    if (found !== undefined) return found.slice(found.lastIndexOf(wanted));
  }
  return undefined;
}

/** Masks before it shortens: half of a secret no longer looks like one. */
function readable(error: string): string {
  return outsideError(error, readUnitsMax).replace(longHex, shortened).replace(longJson, '{…}');
}

function shortened(digits: string): string {
  return `${digits.slice(0, endUnits)}…${digits.slice(-endUnits)} (${digits.length} characters)`;
}

const nodesNamedMax = 3;
const effectUnitsMax = 120;
const causeUnitsMax = 120;

/** @returns such as `probably because of node-7: “certificate has expired”` */
export function rootCauseWords(rootCause: RootCause, unitsMax: number): Words {
  const { nodes } = rootCause;
  const isNamed = nodes.length > 0 && nodes.length <= nodesNamedMax;
  return rich`probably because of ${isNamed ? namesWords(nodes) : bold(shareText(rootCause))}: “${errorText(rootCause.text, unitsMax)}”`;
}

/** The evidence: which nodes, when, before what, and what links the two. */
export function rootCauseLines({ rootCause }: { readonly rootCause: RootCause | null }): readonly Words[] {
  if (rootCause === null) return [];
  const { at, effect, nodes, isNew } = rootCause;
  const who = rich`${trusted(shareText(rootCause))}${nodes.length === 0 ? [] : rich` (${namesWords(nodes)})`}`;
  const since = at === null ? [] : rich` from ${date(at, 'second')}`;
  const before =
    at === null || effect.at === null
      ? []
      : rich`, ${trusted(preciseDuration(Math.max(0, effect.at - at)))} before the others’ first error`;
  const usual = trusted(isNew ? '; the last good run did not log it' : '');
  return [
    rich`${bold('Probable cause')}: ${who} reported “${errorText(rootCause.text, causeUnitsMax)}”${since}${before}${usual}. ${trusted(linkWords(rootCause))}: “${errorText(effect.text, effectUnitsMax)}”`,
  ];
}

function linkWords({ link, nodeCount, nodesTotal }: RootCause): string {
  switch (link) {
    case 'named':
      return nodeCount === 1
        ? 'The error of the other nodes names this node'
        : 'The error of the other nodes names these nodes';
    case 'counted':
      return `The error of the other nodes counts ${counted(nodesTotal - nodeCount, 'answer')}, and as many nodes are without this error`;
    case 'divided':
      return 'So many nodes had this error that the others could not reach a quorum';
  }
}

function namesWords(nodes: readonly string[]): Words {
  return several(
    nodes.map((node) => bold(node, 60)),
    nodesNamedMax,
  );
}

function shareText({ nodeCount, nodesTotal }: RootCause): string {
  return `${nodeCount} of ${counted(nodesTotal, 'node')}`;
}
