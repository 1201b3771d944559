/** Finds the workflow that a person typed, or all of them, and the window beside it. */
import { memoizeLatest } from '../../../shared/cache/memoize.ts';
import { AppError } from '../../../shared/errors.ts';
import { isIdLike, parseReference } from '../../domain/reference.ts';
import { resolveWindow, type Window, windowHint } from '../../domain/window.ts';
import { plainWord, type WindowExpression } from '../../domain/window-words.ts';
import {
  isMisspelling,
  isSameName,
  matchName,
  type NameMatch,
  nameAmong,
  namesWithin,
} from '../../insight/name-match.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';
import type { Message } from '../../views/blocks/message.ts';
import { plain, type Words } from '../../views/blocks/rich-text.ts';
import {
  closestMatchWords,
  confirmWorkflowMessage,
  leftOutWords,
  noWorkflowMessage,
  pickWorkflowMessage,
} from '../../views/notices/pick.ts';
import { whichWorkflow } from '../framework/arguments.ts';
import type { CommandContext } from '../framework/command.ts';
import { readBeside, readTyped, type TypedWords } from './typed-words.ts';

type Match =
  /** `name` is null for a uuid that was not looked up. */
  | {
      readonly kind: 'one';
      readonly uuid: string;
      readonly name: string | null;
      /** As the service spells it; null for a uuid that was not looked up. */
      readonly status: string | null;
      readonly isExact: boolean;
      readonly isMistyped: boolean;
    }
  | Exclude<NameMatch<WorkflowName>, { readonly kind: 'one' }>;

export type FoundWorkflow = Match & {
  /** The words that were taken for the name. */
  readonly text: string;
  /** The other words. */
  readonly beside: readonly string[];
};

/**
 * An exact name wins, whatever is typed around it. Needs one query if the text matches, two if words are left.
 * @param typed a name, a part of one, a uuid, a workflow id with or without `0x`, the beginning of one, a link with one, or `run` and the uuid of one
 */
export async function findWorkflow(typed: string, ask: QueryClient): Promise<FoundWorkflow> {
  const read = readTyped(typed);
  const at = read.words.findIndex((word) => parseReference(word).kind === 'uuid');
  const [text = ''] = read.words.slice(at < 0 ? read.words.length : at);
  const reference = parseReference(text);
  const beside = read.words.filter((_, index) => index !== at);
  if (reference.kind === 'uuid') {
    const isRun = read.words[at - 1]?.toLowerCase() === 'run';
    return { ...(await findByUuid(reference.uuid, isRun, ask)), text, beside };
  }
  const named = await findByName(typed, read, ask);
  const short = parseReference(plainWord(named.text));
  if (short.kind !== 'short' || (named.kind === 'one' && !named.isMistyped)) return named;
  return findByPrefix(short.prefix, named, ask);
}

async function findByUuid(uuid: string, isRun: boolean, ask: QueryClient): Promise<Match> {
  const run = isRun ? (await ask.execution(uuid)).data?.execution : undefined;
  if (run?.workflowUuid)
    return { kind: 'one', uuid: run.workflowUuid, name: run.workflowName, status: null, ...exactly };
  return { kind: 'one', uuid, name: null, status: null, ...exactly };
}

/** A name may look like the beginning of an id. */
async function findByPrefix(prefix: string, named: FoundWorkflow, ask: QueryClient): Promise<FoundWorkflow> {
  const { text, beside } = named;
  const { data } = await ask.allWorkflows();
  const candidates = data.filter((workflow) => hasIdPrefix(workflow, prefix));
  const [only, second] = candidates;
  if (only && !second) return { kind: 'one', ...choiceOf(only), ...exactly, text, beside };
  return only ? { kind: 'several', candidates, text, beside } : named;
}

/** @param prefix lower case, without `0x` */
export function hasIdPrefix({ uuid, workflowId }: WorkflowName, prefix: string): boolean {
  return uuid.startsWith(prefix) || workflowId.toLowerCase().startsWith(prefix);
}

function choiceOf({ uuid, name, status }: WorkflowName) {
  return { uuid, name, status };
}

const exactly = { isExact: true, isMistyped: false } as const;

/** Memoized: a cached list is often searched for the same words. */
const matchIn = memoizeLatest(
  (text: string) => text,
  (candidates: readonly WorkflowName[], text) => matchName(text, candidates),
);

async function findByName(typed: string, read: TypedWords, ask: QueryClient): Promise<FoundWorkflow> {
  const { data: page } = await ask.workflowNames(read.left.length === 0 || read.name === '' ? typed : read.name);
  const isComplete = page.workflows.length > 0 && !page.hasMore;
  const found = isComplete ? matchWords(typed, read, page.workflows) : null;
  // Every name with all words of the search is on the page. One with a part of them need not be.
  if (found && (!read.name.includes(' ') || (found.kind === 'one' && found.isExact))) return found;
  const { data: all, provenance } = await ask.allWorkflows();
  if (all.length === 0 && provenance.missing.length > 0)
    throw new AppError('unavailable', 'The list of workflows could not be read.');
  if (all.length === 0)
    throw new AppError('not_found', 'The organization to which this workspace is connected has no workflows yet.');
  return matchWords(typed, read, all);
}

/** First whole names among the words, then all words as a part of a name, then without the window and the words of a sentence. */
function matchWords(typed: string, read: TypedWords, candidates: readonly WorkflowName[]): FoundWorkflow {
  const { name, left } = read;
  const words = read.words.map((word) => nameInLink(word, candidates));
  const all = { text: typed, beside: [] };
  const whole = matchOf(typed, candidates);
  if (whole.kind === 'one' && whole.name !== null && isSameName(typed, whole.name)) return { ...whole, ...all };
  const first = nameAmong(words, candidates);
  if (first) {
    const text = words.slice(first.from, first.to).join(' ');
    const beside = [...words.slice(0, first.from), ...words.slice(first.to)];
    const others = namesAmong(readBeside(beside).unread.split(' '), candidates);
    if (others.length > 0) return { kind: 'several', candidates: [...first.named, ...others], ...all };
    const [only, another] = first.named;
    if (only && another && only.name !== another.name)
      return { kind: 'several', candidates: first.named, text, beside };
    return { ...matchOf(text, candidates), text, beside };
  }
  const isPart = whole.kind === 'several' || (whole.kind === 'one' && !whole.isMistyped);
  if (isPart || name === '' || left.length === 0) return { ...whole, ...all };
  return { ...matchOf(name, candidates), text: name, beside: left };
}

/** @returns every workflow whose whole name is among the words, the longest first */
function namesAmong(words: readonly string[], candidates: readonly WorkflowName[]): readonly WorkflowName[] {
  const found = nameAmong(words, candidates);
  return found ? [...found.named, ...namesAmong(words.toSpliced(found.from, found.to - found.from), candidates)] : [];
}

/** @returns the name that the path of a link has; else the word */
function nameInLink(word: string, candidates: readonly WorkflowName[]): string {
  const link = URL.parse(word.replace(/^</, '').split(/[|>]/, 1).join(''));
  const parts = link?.protocol.startsWith('http') ? link.pathname.split('/') : [];
  const isNamed = (part: string, name: string) => isSameName(part, encodeURI(name.toWellFormed()));
  return parts.flatMap((part) => candidates.filter(({ name }) => isNamed(part, name))).at(-1)?.name ?? word;
}

function matchOf(text: string, candidates: readonly WorkflowName[]): Match {
  const match = matchIn(candidates, text);
  if (match.kind !== 'one') return match;
  const { candidate, ...how } = match;
  return { ...how, ...choiceOf(candidate) };
}

/** @returns the name of a workflow found by uuid @throws AppError `not_found` */
export async function workflowNameOf(
  { uuid, name }: { readonly uuid: string; readonly name: string | null },
  ask: QueryClient,
): Promise<string> {
  if (name !== null) return name;
  const { data, provenance } = await ask.allWorkflows();
  const workflow = data.find((one) => one.uuid === uuid);
  if (workflow) return workflow.name;
  // An incomplete list does not prove that the workflow is missing.
  if (provenance.missing.length > 0) return uuid;
  throw unknownWorkflow();
}

/** @param missing parts of the organization that were not searched */
export function unknownWorkflow(missing: readonly string[] = []): AppError {
  const sentence =
    'No workflow, run or deployment with this id was found in the organization to which this workspace is connected.';
  const command = { line: 'list', purpose: 'see every workflow' };
  return new AppError('not_found', sentence, { hint: notSearched(missing), command });
}

/** @param missing parts that could not be read */
export function notSearched([unread]: readonly string[]): string | undefined {
  return unread === undefined ? undefined : `Not searched: ${unread}.`;
}

/** No workflow or several match: the message lets the person choose. */
type WorkflowChoice = { readonly kind: 'choose'; readonly message: Message };

export type ChosenWorkflow = {
  readonly kind: 'one';
  readonly uuid: string;
  /** Null if only the uuid is known. */
  readonly name: string | null;
  /** How the words were read, if not as they stand; else empty. */
  readonly lead: Words;
  /** The window that was typed beside the name. */
  readonly window: WindowExpression | null;
  /** The words that are no part of the name. */
  readonly words: readonly string[];
};

/**
 * Makes the command line for each workflow the person can choose; a window follows it.
 * @param words that were typed and are no part of a name that exists
 */
type LineFor = (uuid: string, words: readonly string[]) => string;

type TypedWorkflow = {
  readonly text: string;
  readonly lineFor: LineFor;
  /** True if a window may stand beside the name. */
  readonly takesWindow: boolean;
  /** The value of `--window`. */
  readonly window?: WindowExpression | undefined;
  /** True to ask before a misspelled name is taken, or words are left out: a thread about another workflow would mislead the channel. */
  readonly isStrict?: true;
};

/** @throws AppError `not_found` for an id that no workflow has */
export async function chooseWorkflow(
  request: TypedWorkflow,
  { ask }: CommandContext,
): Promise<ChosenWorkflow | WorkflowChoice> {
  const { text: typed, takesWindow, isStrict } = request;
  const found = await findWorkflow(typed, ask());
  const { text } = found;
  const isExact = found.kind === 'one' && found.isExact;
  const words = isExact ? found.beside : typed.split(' ');
  const beside = readBeside(found.beside, { takesWindow, flag: request.window });
  const { window, unread } = beside;
  const lineFor = (uuid: string) => [request.lineFor(uuid, words), window?.label].filter(Boolean).join(' ');
  const leftOut = leftOutWords(beside, takesWindow ? (window?.label ?? '') : null);
  switch (found.kind) {
    case 'one': {
      const { uuid, name, status } = found;
      const mustAsk = isStrict ? found.isMistyped || unread !== '' : unread !== '' && !isExact;
      if (mustAsk && name !== null && status !== null) {
        const pick = { typed, choices: [{ uuid, name, status }], lineFor };
        return {
          kind: 'choose',
          message: unread === '' ? noWorkflowMessage(pick) : confirmWorkflowMessage(pick, leftOut),
        };
      }
      const closest = isExact || name === null ? [] : closestMatchWords(name, text);
      const lead = [...closest, ...(closest.length > 0 && leftOut.length > 0 ? [plain('\n')] : []), ...leftOut];
      return { kind: 'one', uuid, name, lead, window, words };
    }
    case 'several':
      return { kind: 'choose', message: pickWorkflowMessage({ typed: text, choices: found.candidates, lineFor }) };
    case 'none': {
      const read = readTyped(typed);
      if (read.name === '') {
        const command = { line: 'list', purpose: 'see every workflow' };
        throw new AppError('usage', whichWorkflow, { command });
      }
      const isMisspelled = found.nearest.some(({ name }) => isMisspelling(text, name));
      const { data, provenance } = await ask().allWorkflows();
      const { missing } = provenance;
      if (read.words.some(isIdLike) && !isMisspelled) throw unknownWorkflow(missing);
      const note = takesWindow && window === null && text.includes(' ') ? [plain(windowHint)] : leftOut;
      const unread = notSearched(missing);
      const hint = unread === undefined ? note : [plain(unread)];
      const within = namesWithin(text, data);
      const choices = within.length > 0 ? within.slice(0, found.nearest.length) : found.nearest;
      return { kind: 'choose', message: noWorkflowMessage({ typed: text, choices, lineFor }, hint) };
    }
  }
}

/** @param now if another than that of the clock, epoch milliseconds */
export async function windowOf(
  expression: WindowExpression,
  { clock, zone }: CommandContext,
  now = clock(),
): Promise<Window> {
  return resolveWindow(expression, now, expression.needsZone ? await zone() : 'UTC');
}

export type Scope = {
  readonly kind: 'scope';
  readonly ask: QueryClient;
  readonly window: Window;
  readonly now: number;
  /** Filter for the query service. */
  readonly filter: { readonly workflowUuid?: string; readonly window: Window };
  /** The words that are no part of the name. */
  readonly words: readonly string[];
  /** How the words were read, if not as they stand; else empty. */
  readonly lead: Words;
  /** Null means all workflows. Looks the name up if only the uuid is known. @throws AppError `not_found` */
  readonly workflow: () => Promise<{ readonly uuid: string; readonly name: string } | null>;
};

type ScopeRequest = {
  /** A name, a window, or both; undefined for all workflows. */
  readonly text?: string | undefined;
  /** The value of `--window`. */
  readonly window?: WindowExpression | undefined;
  /** If no window is typed. */
  readonly usual: WindowExpression;
  readonly lineFor: LineFor;
};

export async function readScope(request: ScopeRequest, context: CommandContext): Promise<Scope | WorkflowChoice> {
  const { text, usual } = request;
  const ask = context.ask();
  const now = context.clock();
  const isNamed = text !== undefined && readTyped(text).name !== '';
  const chosen = isNamed ? await chooseWorkflow({ ...request, text, takesWindow: true }, context) : null;
  if (chosen?.kind === 'choose') return chosen;
  const beside = readBeside(readTyped(text ?? '').words, { flag: request.window });
  const expression = (chosen ?? beside).window ?? usual;
  const window = await windowOf(expression, context);
  const words = chosen?.words ?? text?.split(' ') ?? [];
  const lead = chosen?.lead ?? leftOutWords(beside, expression.label);
  const about = { kind: 'scope', ask, window, now, words, lead } as const;
  if (!chosen) return { ...about, filter: { window }, workflow: async () => null };
  const { uuid } = chosen;
  return {
    ...about,
    filter: { workflowUuid: uuid, window },
    workflow: async () => ({ uuid, name: await workflowNameOf(chosen, ask) }),
  };
}
