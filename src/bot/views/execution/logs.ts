/** Logs merged over the nodes: consensus first, then head and tail in time order. A longer log is attached as a file. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Consensus, ConsensusLine, DifferingNode, LineVariant } from '../../insight/executions/consensus.ts';
import { context } from '../blocks/blocks.ts';
import { type Message, message } from '../blocks/message.ts';
import { bold, bulleted, paragraph, plain, preformatted, rich, several, trusted } from '../blocks/rich-text.ts';
import { markup } from '../format/mrkdwn.ts';
import { allOf, count, counted } from '../format/number.ts';
import { outsideLine } from '../format/outside-text.ts';
import { duration } from '../format/time.ts';
import { type ExecutionSubject, subjectLine } from '../notices/pick.ts';
import { groupSizesText } from './facts.ts';

export type LogsView = {
  /** Null if the service did not answer. */
  readonly consensus: Consensus | null;
  /** The filter of the lines; null without one. */
  readonly filter: LogsFilter | null;
  readonly subject: ExecutionSubject;
  /** True while it runs. */
  readonly isRunning?: boolean;
};

type LogsFilter = {
  readonly node: string | undefined;
  readonly text: string | undefined;
  /** All lines of the execution. */
  readonly lineCount: number;
  /** All nodes that have lines. */
  readonly nodes: readonly string[];
};

/** The first lines show the start, the last ones the end. */
const headMax = 3;
const tailMax = 12;
const lineUnitsMax = 140;
const nodesNamedMax = 12;
const factsMax = 6;

export function logsMessage(view: LogsView): Message {
  const { consensus, filter, subject } = view;
  const name = subjectLine('Logs', subject);
  if (consensus === null) return message([paragraph(rich`${name}: the query service did not return them.`)]);
  if (consensus.lines.length === 0) return message([paragraph(rich`${name}: ${noLinesWords(view)}`)]);
  // Lines that do not match may be what a node has instead.
  const isSearch = filter?.text !== undefined;
  const nodes = isSearch
    ? `on ${consensus.nodes.length} of ${counted(filter.nodes.length, 'node')}`
    : agreement(consensus);
  const heading = rich`${name}${filterWords(filter)}: ${trusted(nodes)}; times in UTC`;
  return message([
    preformatted(heading, shownLines(consensus)),
    ...(isSearch ? [] : [...groupBlocks(consensus), ...differenceBlocks(consensus)]),
    ...countBlocks(consensus),
  ]);
}

function filterWords(filter: LogsFilter | null): readonly RichTextElement[] {
  if (filter === null) return [];
  const { node, text } = filter;
  return [
    ...(node === undefined ? [] : rich`, node ${plain(node)}`),
    ...(text === undefined ? [] : rich`, with “${plain(text)}”`),
  ];
}

/** A log without lines, of which the reason is not known, and one without a match are different answers. */
function noLinesWords({ filter, isRunning = false }: LogsView): readonly RichTextElement[] {
  if (filter === null || filter.lineCount === 0) {
    return isRunning ? rich`no line so far.` : rich`the run logged nothing, or its log was not kept.`;
  }
  const { node, text, nodes, lineCount } = filter;
  if (node !== undefined && !nodes.some((each) => each.toLowerCase().includes(node.toLowerCase()))) {
    return rich`no node matches “${plain(node, 80)}”; nodes: ${several(
      nodes.map((each) => plain(each, 60)),
      nodesNamedMax,
    )}.`;
  }
  const where = node === undefined ? [] : rich` of a node with “${plain(node, 80)}”`;
  return rich`no line${where} contains “${plain(text ?? '', 80)}”; ${trusted(counted(lineCount, 'line'))} searched.`;
}

/** Returns true if the message leaves lines out, so that a file is attached. */
export function isLongLog({ lines }: Consensus): boolean {
  return lines.length > headMax + tailMax || lines.some(({ message: text }) => text.length > lineUnitsMax);
}

/** Content of the file: every line in time order, each with its nodes. */
export function* logsText({ lines, nodes, silent }: Consensus): Iterable<string> {
  const all = `${allOf(nodes.length, 'node')}${silent.length > 0 ? ' that logged' : ''}`;
  for (const line of lines) {
    for (const { message: text, nodes: saying } of wordings(line)) {
      const who = saying.length === nodes.length ? all : saying.join(', ');
      yield `${timeOf(line)} [${outsideLine(who, 400)}] ${outsideLine(text, 4000)}\n`;
    }
  }
}

/** Values that a node measures itself may differ. */
const sameLines = 'logged the same lines';

function agreement({ nodes, agreeing, groups, differing, silent, stopped }: Consensus): string {
  const known = nodes.length + silent.length;
  const split = agreeing === 0 && groups.length > 1 ? `disagree, in groups of ${groupSizesText(groups)}` : null;
  if (known === 1) return 'from one node';
  if (stopped.length > 0) {
    const others = split === null ? '' : `; the others ${split}`;
    return `${stopped.length} of ${nodes.length} nodes have no lines near the end of the log${others}`;
  }
  if (silent.length > 0 && differing.length === 0) {
    const whether = nodes.length > 1 ? `, and they ${split ?? sameLines}` : '';
    return `only ${nodes.length} of ${known} nodes logged anything${whether}`;
  }
  if (split !== null) return `nodes ${split}`;
  if (differing.length === 0) return `${allOf(nodes.length, 'node')} ${sameLines}`;
  return `${agreeing} of ${silent.length > 0 ? `the ${nodes.length} nodes with logs` : `${nodes.length} nodes`} ${sameLines}`;
}

function shownLines({ lines, nodes }: Consensus): readonly string[] {
  const width = nodes.length > 1 ? String(nodes.length).length + 1 : 0;
  const format = (line: ConsensusLine) => shownWordings(line, width);
  const left = lines.length - headMax - tailMax;
  if (left <= 0) return lines.flatMap(format);
  return [
    ...lines.slice(0, headMax).flatMap(format),
    `… ${counted(left, 'line')} left out …`,
    ...lines.slice(-tailMax).flatMap(format),
  ];
}

/** The wording of most nodes, then the other wordings, each with its own nodes. */
function wordings({ message: text, nodes, variants }: ConsensusLine): readonly LineVariant[] {
  const others = new Set(variants.flatMap((variant) => variant.nodes));
  return [{ message: text, nodes: nodes.filter((node) => !others.has(node)) }, ...variants];
}

/** More wordings than this are measurements of each node, such as durations. */
const wordingsMax = 3;

function shownWordings(line: ConsensusLine, width: number): readonly string[] {
  const all = wordings(line);
  const shown = all.length > wordingsMax ? [line] : all;
  const note = all.length > wordingsMax ? ' (values differ)' : '';
  return shown.map(
    ({ message: text, nodes }) =>
      `${timeOf(line)} ${width === 0 ? '' : `${`×${nodes.length}`.padStart(width)} `}${outsideLine(text, lineUnitsMax)}${note}`,
  );
}

function timeOf({ at }: ConsensusLine): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString().slice(11, 23) : '--:--:--.---';
}

/** Without a majority every group is shown, with what it says. */
function groupBlocks({ groups, agreeing }: Consensus): readonly KnownBlock[] {
  if (agreeing > 0 || groups.length < 2) return [];
  const left = groups.slice(factsMax).reduce((sum, { nodes }) => sum + nodes.length, 0);
  const lines = [
    ...groups.slice(0, factsMax).map(({ nodes, sample }) => {
      const says = sample === null ? trusted('line missing') : plain(`“${outsideLine(sample, 160)}”`, 200);
      return rich`${nodeNames(nodes)} (${trusted(counted(nodes.length, 'node'))}): ${says}`;
    }),
    ...(left > 0 ? [rich`and ${trusted(counted(left, 'more node'))}`] : []),
  ];
  return [bulleted(rich`${bold('Nodes with the same logs')}`, lines)];
}

function differenceBlocks({ differing, silent, stopped }: Consensus): readonly KnownBlock[] {
  const differenceKey = ({ ownLines, lackedLines, otherValues, sample }: DifferingNode) =>
    `${ownLines} ${lackedLines} ${otherValues} ${sample}`;
  const alike = [...Map.groupBy(differing, differenceKey).values()];
  const left = alike.slice(factsMax).reduce((sum, nodes) => sum + nodes.length, 0);
  const facts = [
    ...alike.slice(0, factsMax).map(differenceFact),
    ...(left > 0 ? [rich`and ${trusted(counted(left, 'more node'))}`] : []),
    ...(silent.length === 0 ? [] : [rich`Logged nothing: ${nodeNames(silent)}`]),
    ...stoppedFact(stopped),
  ];
  return facts.length === 0 ? [] : [bulleted(rich`${bold('Nodes that differ')}`, facts)];
}

/** @param alike nodes that differ in the same way */
function differenceFact(alike: readonly DifferingNode[]): readonly RichTextElement[] {
  return rich`${nodeNames(alike.map(({ node }) => node))}: ${alike.slice(0, 1).map((node) => plain(differencesOf(node), 400))}`;
}

function differencesOf({ ownLines, lackedLines, otherValues, sample }: DifferingNode): string {
  const differences = [
    ...(ownLines > 0 ? [`${counted(ownLines, 'line')} that most nodes do not have`] : []),
    ...(lackedLines > 0 ? [`${counted(lackedLines, 'line')} missing`] : []),
    ...(otherValues > 0 ? [`another value in ${counted(otherValues, 'line')}`] : []),
  ];
  return sample === null ? differences.join(', ') : `${differences.join(', ')}: “${outsideLine(sample, 160)}”`;
}

function stoppedFact(stopped: Consensus['stopped']): readonly (readonly RichTextElement[])[] {
  if (stopped.length === 0) return [];
  const quiet = stopped.map(({ quietMs }) => quietMs);
  const [least, most] = [duration(Math.min(...quiet)), duration(Math.max(...quiet))];
  const names = nodeNames(stopped.map(({ node }) => node));
  return [rich`No lines in the last ${trusted(least === most ? least : `${least} to ${most}`)} of the log: ${names}`];
}

function nodeNames(nodes: readonly string[]): RichTextElement {
  const left = nodes.length - nodesNamedMax;
  return bold(nodes.slice(0, nodesNamedMax).join(', ') + (left > 0 ? ` and ${left} more` : ''), 500);
}

function countBlocks(consensus: Consensus): readonly KnownBlock[] {
  const { lines, linesTotal, nodes } = consensus;
  const file = isLongLog(consensus) ? markup` All these lines are in the attached file.` : markup``;
  const all = counted(lines.length, 'line');
  if (nodes.length === 1) return [context([markup`${all}.${file}`])];
  return [
    context([
      markup`${all}, merged from ${count(linesTotal)}. ×${nodes.length}: ${nodes.length} nodes logged the line.${file}`,
    ]),
  ];
}
