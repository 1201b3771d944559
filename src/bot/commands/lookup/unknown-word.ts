/**
 * Answers the lines that no command answers: one without a command by the status of the workflow that it names, or the nearest
 * commands and workflows; one whose id belongs to something else than its command takes, such as `status` with the id of a run.
 */
import { AppError } from '../../../shared/errors.ts';
import { isIdLike, parseReference } from '../../domain/reference.ts';
import { parseWindow, plainWord } from '../../domain/window-words.ts';
import { isMisspelling } from '../../insight/name-match.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';
import { withLead } from '../../views/blocks/message.ts';
import { type IdOwner, otherIdWords, pickWorkflowMessage } from '../../views/notices/pick.ts';
import { unknownWordMessage } from '../../views/notices/problem.ts';
import { workflowText } from '../framework/arguments.ts';
import { type Answer, type AnyCommand, type CommandContext, ephemeral } from '../framework/command.ts';
import { nearestCommands, takesWorkflow } from '../framework/description.ts';
import { mayRepeat, type ParsedLine, type RawArguments, readArguments } from '../framework/parse.ts';
import { findDeployment, workflowOfDeployment } from './find-deployment.ts';
import { type FoundWorkflow, findWorkflow, hasIdPrefix, workflowNameOf } from './find-workflow.ts';
import { isCourtesy, isFiller, isNameless, readBeside, readTyped } from './typed-words.ts';

/** `line`: as typed. */
type UnknownLine = ParsedLine & { readonly line: string };

/** Shorter parts of a name are more likely to be other words. */
const partUnitsMin = 3;

/**
 * A sentence with an exact name is a request for its status, and so is a part of a single name, unless the word may be a
 * misspelled command. A misspelled name is suggested and never answered.
 */
export async function answerUnknownWord(typed: UnknownLine, context: CommandContext): Promise<Answer> {
  const { access, commands, slashCommand } = context.services;
  // `last` is no misspelled `list`, and `can` no beginning of `cancel`.
  const isOfSentence = (name: string) =>
    isFiller(typed.word) && (typed.word.length <= 3 || !name.startsWith(typed.word));
  const nearest = nearestCommands(typed.word, commands).filter(({ name }) => !isOfSentence(name));
  const named = readName(typed, commands);
  const found = named ? await searchName(named.text, context) : null;
  const answer = named && found && 'kind' in found ? answerNamed({ typed, named, found, nearest }, context) : undefined;
  if (answer) return answer;
  if (isCourtesy([typed.word, ...typed.words]) && !typed.line.includes('?')) {
    const command = { line: 'help', purpose: 'see the commands' };
    throw new AppError('usage', 'That is not a question, so nothing was looked up.', { command });
  }
  const isNamed = found !== null && 'kind' in found && found.kind === 'one' && found.isExact;
  // Names match first; a single word may be a misspelled command.
  const mayAsk = !isNamed && (typed.words.length > 0 || nearest.length === 0);
  const asked = mayAsk ? answerQuestion(typed, context) : undefined;
  if (asked) return asked;
  if (nearest.length === 0 && isNameless([typed.word, ...typed.words])) {
    const hint = 'Name it, as in “why is payments failing?”, or ask in the thread of a run.';
    throw new AppError('usage', 'Which workflow do you mean?', { hint });
  }
  const isId = named !== null && parseReference(named.name).kind !== 'text';
  const execution = commands.find(({ name }) => name === 'execution');
  // The execution's thread is private, because the line does not ask for one.
  if (isId && execution && !(found instanceof AppError)) {
    return execution.runWith({ text: named.name, private: true }, context);
  }
  const workflows = named && found && 'kind' in found ? suggestedWorkflows(named.name, found) : [];
  const rest = nearest.some(takesWorkflow) ? await correctedWords(typed.words, context) : null;
  const lineOf = (command: AnyCommand) =>
    rest !== null && takesWorkflow(command)
      ? `${command.name} ${rest}`
      : typed.line.trim().replace(/^\S+/, () => command.name);
  const message = unknownWordMessage({
    word: mayRepeat(typed.word) ? typed.word : null,
    suggestions: [
      ...nearest.map((command) => ({ name: command.name, summary: command.summary, line: lineOf(command) })),
      ...workflows.map(({ uuid, name }) => ({ name, line: named?.lineFor(uuid) ?? `status ${uuid}`, summary: null })),
    ],
    unsearched: found instanceof AppError ? found : null,
    adminIds: await access.adminIds(context.actor.teamId),
    slashCommand,
  });
  return { ...ephemeral(message), isProblem: true };
}

type NamedLine = {
  readonly typed: UnknownLine;
  readonly named: Named;
  readonly found: FoundWorkflow;
  readonly nearest: readonly AnyCommand[];
};

/** @returns undefined if the line does not name one workflow clearly enough */
function answerNamed(
  { typed, named, found, nearest }: NamedLine,
  context: CommandContext,
): Promise<Answer> | Answer | undefined {
  // A part of a name in a sentence may be any other word.
  const isAlone = found.beside.length === 0 || parseWindow(found.beside.join(' ')) !== undefined;
  const mayBePart = nearest.length === 0 && isAlone && named.name.length >= partUnitsMin;
  if (found.kind === 'several' && mayBePart) {
    const lineFor = (uuid: string) => named.lineFor(uuid);
    return ephemeral(pickWorkflowMessage({ typed: found.text, choices: found.candidates, lineFor }));
  }
  if (found.kind !== 'one') return undefined;
  const isMisspelled = found.beside[0]?.toLowerCase() === typed.word;
  const meant = isMisspelled ? nearest.find(isHarmless) : undefined;
  if (found.isExact && meant) return meant.runWith(readArguments(typed.words, meant.accepts), context);
  const noun = found.isExact ? commandAmong(found.beside, context.services.commands) : undefined;
  if (noun) {
    const others = found.beside.filter((word) => commandOfNoun(word) !== noun.name);
    return noun.runWith(readArguments([found.text, ...others], noun.accepts), context);
  }
  const isOther = isMisspelled && nearest.length > 0;
  const isStatus = (found.isExact && !isOther) || (mayBePart && !found.isMistyped);
  return isStatus ? named.status.runWith(named.raw, context) : undefined;
}

const failureWords =
  /^(?:fail|fails|failing|failed|failures?|broken?|breaking|crashed|down|red|errors?|wrong|problems?|issues?|fire|burning)$/i;
const stateWords =
  /^(?:ok|okay|fine|good|up|doing|happening|going|status|state|health|running|workflows|silent|paused|healthy|unhealthy|unstable|recovered)$/i;
/** Those by which `list` filters. */
const listedWords = /^(?:silent|paused|healthy|unhealthy|unstable|recovered)$/i;

/** `what failed last night?`, `is everything ok?`, `how many runs today?`: a question about all workflows. */
function answerQuestion({ word, words }: UnknownLine, context: CommandContext): Promise<Answer> | Answer | undefined {
  const read = readTyped([word, ...words].join(' '));
  const noun = read.words.map(commandOfNoun).find((each) => each === 'executions' || each === 'activity');
  const isOfState = read.words.some((each) => stateWords.test(each));
  const isOfRuns = read.words.includes('running') && !read.words.includes('workflows');
  const ofOthers = noun ?? (isOfRuns ? 'executions' : isOfState ? 'list' : undefined);
  const name = asksForFailures(read.words) ? 'failures' : ofOthers;
  const command = read.name === '' ? context.services.commands.find((each) => each.name === name) : undefined;
  const isFiltered = name === 'list' && !read.words.includes('not');
  const asked = isFiltered ? read.words.filter((each) => listedWords.test(each)) : read.words;
  return command?.runWith(readArguments(asked, command.accepts), context);
}

function asksForFailures(words: readonly string[]): boolean {
  return words.some((word) => failureWords.test(word));
}

/** @returns the command for a question about one workflow or run */
export function commandAsked(words: readonly string[]): string {
  const { words: plain } = readTyped(words.join(' '));
  return (
    plain.map(commandOfNoun).find((name) => name !== undefined) ?? (asksForFailures(plain) ? 'failures' : 'status')
  );
}

/** The words of a sentence that ask for one command. */
const nouns: Readonly<Record<string, readonly string[]>> = {
  logs: ['log', 'logs'],
  timeline: ['timeline'],
  activity: ['activity'],
  executions: ['runs', 'executions'],
  deployments: ['deployment', 'deployments', 'deploys', 'deployed', 'changed', 'changes'],
  failures: ['error', 'errors', 'failures'],
};

/** @returns the command that a word of a sentence asks for */
export function commandOfNoun(word: string): string | undefined {
  return Object.keys(nouns).find((name) => nouns[name]?.includes(plainWord(word).toLowerCase()));
}

function commandAmong(words: readonly string[], commands: readonly AnyCommand[]): AnyCommand | undefined {
  const found = words.map(commandOfNoun);
  return commands.find((command) => found.includes(command.name) && isHarmless(command));
}

/** Nothing that it answers is seen by others or left behind. */
function isHarmless(command: AnyCommand): boolean {
  const isReading = command.group === 'look' || command.group === 'investigate';
  return isReading && takesWorkflow(command) && !['execution', 'export'].includes(command.name);
}

type Named = {
  readonly status: AnyCommand;
  readonly raw: RawArguments;
  readonly text: string;
  /** Without a window and the words of a sentence. */
  readonly name: string;
  /** The status of one workflow in the window that was typed. */
  readonly lineFor: (uuid: string) => string;
};

/** @returns the line read as a workflow's name with the arguments of `status`; null if it cannot be one */
function readName({ word, words }: UnknownLine, commands: readonly AnyCommand[]): Named | null {
  const status = commands.find(({ name }) => name === 'status');
  if (!status) return null;
  try {
    const raw = readArguments([word, ...words], status.accepts);
    const text = workflowText.safeParse(raw.text);
    if (!text.success) return null;
    const { name, left } = readTyped(text.data);
    const window = raw.window ?? readBeside(left).window;
    const lineFor = (uuid: string) => ['status', uuid, window?.label].filter(Boolean).join(' ');
    return { status, raw, text: text.data, name, lineFor };
  } catch (error) {
    if (error instanceof AppError && error.code === 'usage') return null;
    throw error;
  }
}

async function searchName(text: string, { ask }: CommandContext): Promise<FoundWorkflow | AppError | null> {
  try {
    const found = await findWorkflow(text, ask());
    if (found.kind === 'one' && found.name === null) await workflowNameOf(found, ask());
    return found;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'not_found' ? null : error;
  }
}

/** @param words after a mistyped command @returns them with the one name that is meant by a mistyped one; null if there is none */
async function correctedWords(words: readonly string[], context: CommandContext): Promise<string | null> {
  const firstFlag = words.findIndex((word) => word.startsWith('--'));
  const typed = firstFlag < 0 ? words : words.slice(0, firstFlag);
  const found = typed.length === 0 ? null : await searchName(typed.join(' '), context);
  if (!found || !('kind' in found) || found.kind !== 'one' || found.isExact || found.name === null) return null;
  const flags = words.slice(typed.length).map((each) => (each.includes(' ') ? `"${each}"` : each));
  return [found.name, ...found.beside, ...flags].join(' ');
}

const workflowsMax = 3;

function suggestedWorkflows(text: string, found: FoundWorkflow): readonly { uuid: string; name: string }[] {
  switch (found.kind) {
    case 'one':
      return found.name === null ? [] : [{ uuid: found.uuid, name: found.name }];
    case 'several':
      return found.candidates.slice(0, workflowsMax);
    case 'none':
      return found.nearest.filter(({ name }: WorkflowName) => isMisspelling(text, name));
  }
}

/** `command`: undefined for a line of an id alone. */
type TypedLine = ParsedLine & { readonly command: AnyCommand | undefined };

/** The kind of an id may be typed before it. */
const idNouns = ['run', 'execution', 'deployment', 'workflow', 'id'];

/**
 * @param error of the command, thrown again if the line has no id or nothing has it
 * @returns the answer for the workflow of the id; for a command about one run, the deployment of the id
 */
export async function answerOtherId(error: unknown, line: TypedLine, context: CommandContext): Promise<Answer> {
  const { command } = line;
  const words = (command ? line.words : [line.word, ...line.words]).map(plainWord);
  const at = words.findIndex(isIdLike);
  const [id] = words.slice(at < 0 ? words.length : at);
  if (!(error instanceof AppError) || error.code !== 'not_found' || id === undefined) throw error;
  const owner = await findOwner(id, context.ask()).catch(() => null);
  if (owner === null) throw error;
  const { kind, workflow } = owner;
  const isDeployment = kind === 'deployment' && (!command || ['execution', 'logs', 'timeline'].includes(command.name));
  const name = isDeployment ? 'deployment' : (command?.name ?? 'status');
  const meant = context.services.commands.find((each) => each.name === name);
  const taken = isDeployment ? owner.uuid : name === 'list' ? workflow.name : workflow.uuid;
  if (meant === undefined || (command && !isDeployment && taken === id)) throw error;
  const isNoun = idNouns.includes(words[at - 1]?.toLowerCase() ?? '');
  const others = words.filter((_, index) => index !== at && !(isNoun && index === at - 1));
  const answer = await meant.runWith(
    readArguments([taken, ...others], isDeployment ? new Map([['text', 'value']]) : meant.accepts),
    context,
  );
  if (answer.kind !== 'message' || command === undefined) return answer;
  return { ...answer, message: withLead(answer.message, otherIdWords(id, owner)) };
}

/** @returns null if nothing has the id, or several have its beginning */
async function findOwner(typed: string, ask: QueryClient): Promise<IdOwner | null> {
  const reference = parseReference(typed);
  const prefix = reference.kind === 'short' ? reference.prefix : null;
  const runs = prefix === null ? [] : (await ask.executionsByPrefix(prefix)).data.found.map(({ uuid }) => uuid);
  const [only, second] = reference.kind === 'uuid' ? [reference.uuid] : runs;
  const run = only && !second ? (await ask.execution(only)).data?.execution : undefined;
  if (run?.workflowUuid) {
    const { uuid, workflowUuid, workflowName } = run;
    return { kind: 'run', uuid, workflow: { uuid: workflowUuid, name: workflowName } };
  }
  const { data: workflows } = await ask.allWorkflows();
  const [workflow, another] = workflows.filter((each) => hasIdPrefix(each, prefix ?? typed.toLowerCase()));
  if (workflow) return another ? null : { kind: 'workflow', uuid: workflow.uuid, workflow };
  const uuid = reference.kind === 'uuid' ? reference.uuid : await findDeployment(typed, ask);
  const owner = uuid === null ? null : (await workflowOfDeployment(uuid, ask)).data;
  return uuid === null || owner === null ? null : { kind: 'deployment', uuid, workflow: owner };
}
