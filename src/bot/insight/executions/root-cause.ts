/** The fault of some nodes that explains why the others waited in vain: an expired certificate explains a lost quorum. */
import { type CooperativeTask, mapTask } from '../../../shared/time/cooperative-task.ts';
import type { ReportedError } from '../causes/cause.ts';
import type { Consensus, ConsensusLine } from './consensus.ts';
import { messageTemplate } from './message-template.ts';

export type RootCause = {
  /** The words of the nodes from the fault on, and the clause before it; from outside. */
  readonly text: string;
  /** Nodes with the fault; empty if only their number is known. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** All known nodes. */
  readonly nodesTotal: number;
  /** First line with the fault, epoch milliseconds on the median clock; null if only the errors of the execution have it. */
  readonly at: number | null;
  /** The words of the others because of it. */
  readonly effect: {
    readonly text: string;
    /** First line of a node that waited in vain; null if the log has none. */
    readonly at: number | null;
  };
  /**
   * `named`: the effect names only nodes with the fault. `counted`: it counts as many answers as there are nodes without the fault.
   * `divided`: a third of the nodes or more have the fault, which no quorum survives, and exactly the others waited.
   */
  readonly link: 'named' | 'counted' | 'divided';
  /** True if the last good execution did not log it; false if that is not known. */
  readonly isNew: boolean;
};

export type RootCauseQuestion = {
  /** The execution's own. */
  readonly errors: readonly ReportedError[];
  readonly consensus: Consensus;
  /** Messages of the last good execution: what it has as well explains nothing. Empty if they are not known. */
  readonly usualMessages: readonly string[];
};

/** Faults that a node has by itself, whatever the others do. A second pattern has to match as well. */
const faultKinds: readonly (readonly [RegExp, RegExp?])[] = [
  [
    /certificate|x509|CERT_|handshake/i,
    /expired|not (?:yet )?valid|invalid|unknown authority|(?:failed|unable|cannot) to verify|revoked|untrusted|self[- ]signed|fail/i,
  ],
  [/no such host|ENOTFOUND|EAI_AGAIN|NXDOMAIN|name resolution|resolve host/i],
  [/connection refused|ECONNREFUSED|no route to host|EHOSTUNREACH|network is unreachable|ENETUNREACH/i],
  [
    /unauthori[sz]ed|forbidden|permission denied|access denied|authentication failed|invalid (?:api key|credentials|token)|(?:token|key|credentials?|licen[cs]e|password) (?:has |have )?expired/i,
  ],
  [
    /too many requests|rate limit(?:ed| exceeded| reached)|quota exceeded|out of credits|insufficient (?:funds|balance)/i,
  ],
  [/out of memory|\bOOM|cannot allocate memory/i],
  [/no space left|ENOSPC|disk (?:is )?full|disk quota|read-only file system|too many open files|EMFILE/i],
  [/panic:|segmentation fault|SIGSEGV|SIGKILL|nil pointer|stack overflow|core dumped/i],
  [
    /secret|config(?:uration)?|environment variable|private key|keystore|wasm|binary|module/i,
    /not found|missing|not set|is invalid|undefined/i,
  ],
  [/clock (?:skew|drift)|clock is (?:ahead|behind|off)|out of sync|not synced|version mismatch|unsupported version/i],
];

const together =
  /quorum|consensus|observation|response|signature|report|peer|node|oracle|replica|validator|leader|vote|answer/i;
const lacking =
  /\b(?:no|not|enough|insufficient|fewer|few|only|less|missing|lost|failed|fails|deviate|disagree|differ|giving up|gave up|unreachable)\b|\d ?(?:of|\/) ?\d/i;
const inVain = /deadline exceeded|timed out|timeout|cancell?ed|aborted/i;

type Reading = { readonly kind: number } | 'waited' | 'other';

/** @returns the kind of a node's own fault; `waited` if it says that others did not do their part, or not in time */
function readingOf(text: string): Reading {
  const kind = faultKinds.findIndex(([fault, also]) => fault.test(text) && also?.test(text) !== false);
  if (kind >= 0) return { kind };
  return inVain.test(text) || (together.test(text) && lacking.test(text)) ? 'waited' : 'other';
}

/** The rest of a longer text is not read. */
const readUnitsMax = 2_000;
/** Number of errors that are read; each is one text that some nodes reported. */
const errorsReadMax = 64;

function templateOf(message: string): string {
  return messageTemplate(message.slice(0, readUnitsMax));
}

/**
 * Null unless the error of most nodes says that they waited in vain, some other nodes have one kind of fault and nothing else does, that
 * fault came first, and the effect names these nodes, counts the others, or is what exactly the others say.
 */
export function* findRootCause(question: RootCauseQuestion): CooperativeTask<RootCause | null> {
  const { errors, consensus } = question;
  if (consensus.nodes.length < 2) return null;
  const all = (yield* mapTask(consensus.lines, statementsIn)).flat();
  const reported = errors.slice(0, errorsReadMax).map(({ error, count }) => statementOf(error, count, consensus));
  if (![...all, ...reported].some(({ reading }) => typeof reading === 'object')) return null;
  const usual = new Set(yield* mapTask(question.usualMessages, templateOf));
  const logged = all.filter(({ text }) => !usual.has(templateOf(text)));
  const waited = logged.filter(({ reading }) => reading === 'waited');
  const effect = reported.length > 0 ? mostNodes(reported) : mostNodes(waited);
  if (effect?.reading !== 'waited' || reported.some(({ reading }) => reading === 'other')) return null;
  const firstWaitedAt = waited[0]?.at ?? null;
  const fault = onlyFault([...logged, ...reported], firstWaitedAt);
  if (fault === null) return null;
  const waiting = new Set(waited.flatMap((each) => each.nodes));
  const link = linkOf(effect, fault, waiting, consensus);
  if (link === null) return null;
  const { nodes, nodeCount, at } = fault;
  const text = fromFault(fault.text, consensus.nodes);
  const nodesTotal = consensus.nodes.length + consensus.silent.length;
  const isNew = usual.size > 0 && at !== null;
  return { text, nodes, nodeCount, nodesTotal, at, effect: { text: effect.text, at: firstWaitedAt }, link, isNew };
}

/** @returns true if most nodes say that they waited in vain, so that the log may have the reason */
export function mayHaveRootCause(errors: readonly ReportedError[]): boolean {
  const [main] = errors.slice(0, errorsReadMax).toSorted((one, other) => other.count - one.count);
  return main !== undefined && readingOf(main.error.slice(-readUnitsMax)) === 'waited';
}

type Statement = {
  readonly text: string;
  readonly reading: Reading;
  /** Keyed by name, as far as they are known. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** Null for an error of the execution. */
  readonly at: number | null;
};

/** Each wording of a line that is an error. */
function statementsIn({ message, nodes, variants, at }: ConsensusLine): readonly Statement[] {
  const others = new Set(variants.flatMap((variant) => variant.nodes));
  const wordings = [{ message, nodes: nodes.filter((node) => !others.has(node)) }, ...variants];
  return wordings.flatMap((wording) => {
    const text = wording.message.slice(0, readUnitsMax);
    const reading = readingOf(text);
    return reading === 'other' ? [] : [{ text, reading, nodes: wording.nodes, nodeCount: wording.nodes.length, at }];
  });
}

/** The execution's errors do not say which nodes have them, unless the text does. */
function statementOf(error: string, count: number, { nodes }: Consensus): Statement {
  const text = error.slice(-readUnitsMax);
  const reading = readingOf(text);
  return { text, reading, nodes: reading === 'waited' ? [] : namedIn(text, nodes), nodeCount: count, at: null };
}

function mostNodes(all: readonly Statement[]): Statement | undefined {
  return all.toSorted((one, other) => other.nodeCount - one.nodeCount)[0];
}

/** @returns null if there is none, two nodes have different ones, or it came after the first that waited in vain */
function onlyFault(all: readonly Statement[], firstWaitedAt: number | null): Statement | null {
  const latestAt = firstWaitedAt ?? Number.POSITIVE_INFINITY;
  const faults = all.filter(({ reading, at }) => typeof reading === 'object' && (at === null || at <= latestAt));
  const [first] = faults;
  if (first === undefined) return null;
  const alike = faults.filter(({ reading }) => kindOf(reading) === kindOf(first.reading));
  const nodes = [...new Set(alike.flatMap((each) => each.nodes))];
  const isElsewhere = (each: Statement) => each.nodes.length === 0 || each.nodes.some((node) => !nodes.includes(node));
  if (faults.some((each) => !alike.includes(each) && isElsewhere(each))) return null;
  return { ...first, nodes, nodeCount: Math.max(nodes.length, ...alike.map(({ nodeCount }) => nodeCount)) };
}

/** Callers wrap the fault: it begins with the clause before its own, unless that is the name of a node. */
function fromFault(text: string, nodes: readonly string[]): string {
  const at = text.search(faultKinds[kindOf(readingOf(text)) ?? -1]?.[0] ?? /^/);
  const own = clauseStart(text, at);
  const before = clauseStart(text, own - 2);
  return text.slice(nodes.includes(text.slice(before, own - 2)) ? own : before);
}

/** @returns where the clause begins that the index is in */
function clauseStart(text: string, at: number): number {
  const end = at <= 0 ? -1 : text.lastIndexOf(': ', at - 1);
  return end < 0 ? 0 : end + 2;
}

function kindOf(reading: Reading): number | null {
  return typeof reading === 'object' ? reading.kind : null;
}

/** A smaller network has no node to spare, or no quorum. */
const quorumNodesMin = 4;

function linkOf(
  effect: Statement,
  fault: Statement,
  waiting: ReadonlySet<string>,
  { nodes, silent }: Consensus,
): RootCause['link'] | null {
  const total = nodes.length + silent.length;
  const able = total - fault.nodeCount;
  const { present, needed } = countsIn(effect.text);
  if (able <= 0 || (present !== null && present !== able)) return null;
  const named = namedIn(effect.text, [...nodes, ...silent]);
  if (named.length > 0)
    return effect.nodeCount > 1 && named.every((node) => fault.nodes.includes(node)) ? 'named' : null;
  // Without a name, a silent node may be the reason as well.
  if (silent.length > 0 || (needed !== null && able >= needed)) return null;
  const isDivided =
    fault.at === null
      ? effect.nodeCount === able
      : waiting.size === able && fault.nodes.every((node) => !waiting.has(node));
  if (present !== null) return fault.at !== null || isDivided ? 'counted' : null;
  return isDivided && total >= quorumNodesMin && fault.nodeCount * 3 >= total ? 'divided' : null;
}

const ofAll = /(?<!\d|\.)(\d{1,4}) ?(?:of|out of|\/) ?\d{1,4}(?!\d|\.\d)/;
const got = /\b(?:have|got|received|collected|only) (\d{1,4})(?!\d|\.\d)/i;
const wanted = /\b(?:fewer than|less than|needs?|want|requires?|at least) (\d{1,4})(?!\d|\.\d)/i;

/** The number of nodes that did their part, and the number that is needed, as far as the text says. */
function countsIn(text: string): { readonly present: number | null; readonly needed: number | null } {
  const numberIn = (pattern: RegExp) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  return { present: numberIn(ofAll) ?? numberIn(got), needed: numberIn(wanted) };
}

/** A shorter name may be part of a value. */
const nameUnitsMin = 4;
const partOfName = /[\p{L}\p{N}_]/u;

function namedIn(text: string, nodes: readonly string[]): readonly string[] {
  return nodes.filter((node) => {
    const at = node.length < nameUnitsMin ? -1 : text.indexOf(node);
    if (at < 0) return false;
    return !partOfName.test(text.charAt(at - 1)) && !partOfName.test(text.charAt(at + node.length));
  });
}
