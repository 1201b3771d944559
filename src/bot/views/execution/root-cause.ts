/** The fault of some nodes that probably explains a failure: its words for the headline, and the evidence. */
import type { RichTextElement } from '@slack/types';
import type { RootCause } from '../../insight/executions/root-cause.ts';
import { bold, date, rich, several, trusted } from '../blocks/rich-text.ts';
import { counted } from '../format/number.ts';
import { preciseDuration } from '../format/time.ts';
import { briefErrorText, errorText } from './error-text.ts';

type Words = readonly RichTextElement[];

const nodesNamedMax = 3;
const effectUnitsMax = 120;
const causeUnitsMax = 120;

/** @returns such as `probably because of node-7: certificate has expired` */
export function rootCauseWords(rootCause: RootCause, unitsMax: number): Words {
  return rich`probably because of ${nodesWords(rootCause)}: ${errorText(rootCause.text, unitsMax)}`;
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
    rich`${bold('Probable cause')}: ${who} reported “${errorText(rootCause.text, causeUnitsMax)}”${since}${before}. ${trusted(linkWords(rootCause))}: “${briefErrorText(effect.text, effectUnitsMax)}”${usual}`,
  ];
}

function linkWords({ link, nodeCount, nodesTotal }: RootCause): string {
  switch (link) {
    case 'named':
      return nodeCount === 1
        ? 'The error of the other nodes names this node'
        : 'The error of the other nodes names these nodes';
    case 'counted':
      return `The error of the other nodes counts ${counted(nodesTotal - nodeCount, 'answer')}, which is the number of nodes without this error`;
    case 'divided':
      return 'With this error on so many nodes no quorum was possible, and only the other nodes waited for one';
  }
}

function nodesWords(rootCause: RootCause): Words {
  const { nodes } = rootCause;
  return nodes.length === 0 || nodes.length > nodesNamedMax ? rich`${bold(shareText(rootCause))}` : namesWords(nodes);
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
