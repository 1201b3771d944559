/** Finds the execution that a person typed: an id, the beginning of one or a link, or a workflow's name for its newest failure. */
import { AppError } from '../../../shared/errors.ts';
import { combinedProvenance } from '../../domain/provenance.ts';
import { isIdLike, parseReference, uuidsIn } from '../../domain/reference.ts';
import { lastDays, type WindowExpression } from '../../domain/window-words.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { Answered, Execution, ExecutionDetail } from '../../query/results.ts';
import type { Message } from '../../views/blocks/message.ts';
import { plain, rich, type Words } from '../../views/blocks/rich-text.ts';
import { count } from '../../views/format/number.ts';
import { shortExecutionId } from '../../views/format/outside-text.ts';
import { dateFallback } from '../../views/format/time.ts';
import { type ExecutionSubject, pickExecutionMessage } from '../../views/notices/pick.ts';
import type { CommandContext } from '../framework/command.ts';
import { type ChosenWorkflow, chooseWorkflow, findWorkflow, notSearched, windowOf } from './find-workflow.ts';
import { readBeside, readTyped } from './typed-words.ts';

export type FoundExecution =
  | {
      readonly kind: 'one';
      readonly answered: Answered<ExecutionDetail>;
      /** How the words were read, if not as they stand; else empty. */
      readonly lead: Words;
    }
  /** None or several match: the message lets the person choose. */
  | { readonly kind: 'choose'; readonly message: Message };

type TypedExecution = {
  /** An execution's uuid, 64-digit id, the beginning of one, or link; a workflow's name, uuid or link. */
  readonly text: string;
  /** The value of `--window`. */
  readonly window: WindowExpression | undefined;
  /** Makes the command line for each workflow or execution that the person can choose. */
  readonly lineFor: (uuid: string) => string;
};

/**
 * A window beside a workflow's name is the one in which the run started.
 * @throws AppError `not_found`
 */
export async function findExecution(request: TypedExecution, context: CommandContext): Promise<FoundExecution> {
  const { words, name } = readTyped(request.text);
  const id = words.find((word) => parseReference(word).kind === 'uuid') ?? words.find(isIdLike) ?? name;
  const reference = parseReference(id);
  const { unusedWindow } = readBeside(words, { takesWindow: false });
  const lead = unusedWindow === '' ? [] : rich`“${plain(unusedWindow)}” was left out: the id says which run.`;
  switch (reference.kind) {
    case 'uuid': {
      // The address of a run often begins with its workflow's.
      for (const uuid of uuidsIn(id).slice(0, linkedMax).toReversed()) {
        const answered = await read(uuid, context.ask());
        if (answered) return one(answered, lead);
      }
      const { window } = readBeside(words, { flag: request.window });
      return one(await readNewest(reference.uuid, { window, words }, context));
    }
    case 'short':
      return findByPrefix({ ...reference, lead }, request, context);
    case 'text':
      return findByName(request, context);
  }
}

/** More ids are in no link to a run. */
const linkedMax = 3;

/** @returns the words for an answer about the execution */
export function subjectOf(execution: Execution): ExecutionSubject {
  return {
    workflowName: execution.workflowName,
    shortId: shortExecutionId(execution),
    startedAt: Date.parse(execution.startedAt),
  };
}

function one(answered: Answered<ExecutionDetail>, lead: Words = []): FoundExecution {
  return { kind: 'one', answered, lead };
}

/** @param how such as `with this id` */
function noExecution(how: string, hint?: string): AppError {
  const sentence = `No run ${how} was found in the organization to which this workspace is connected.`;
  const or = { line: 'list', purpose: 'see the workflows' };
  const command = { line: 'executions', purpose: 'see the newest runs', or };
  return new AppError('not_found', sentence, { hint, command });
}

async function read(uuid: string, ask: QueryClient): Promise<Answered<ExecutionDetail> | null> {
  const { data, provenance } = await ask.execution(uuid);
  return data === null ? null : { data, provenance };
}

/** @param uuid from a list of the service */
async function readListed(uuid: string, ask: QueryClient): Promise<Answered<ExecutionDetail>> {
  const answered = await read(uuid, ask);
  if (answered) return answered;
  throw new AppError('not_found', 'The query service lists this run, but no longer keeps its details.');
}

/** A workflow's exact name may look like the beginning of an id. */
async function findByPrefix(
  { prefix, text, lead }: { readonly prefix: string; readonly text: string; readonly lead: Words },
  request: TypedExecution,
  context: CommandContext,
): Promise<FoundExecution> {
  const ask = context.ask();
  const named = await findWorkflow(request.text, ask);
  if (named.kind === 'one' && named.isExact) return findByName(request, context);
  const { found: executions, searchedNewest } = (await ask.executionsByPrefix(prefix)).data;
  const [only, second] = executions;
  if (only && !second) return one(await readListed(only.uuid, ask), lead);
  if (only) {
    const { lineFor } = request;
    const zone = await context.zone();
    return { kind: 'choose', message: pickExecutionMessage({ typed: text, executions, lineFor, zone }) };
  }
  if (named.kind === 'several' || (named.kind === 'one' && !named.isMistyped)) return findByName(request, context);
  const isWhole = prefix.length === 64;
  if (searchedNewest !== null) {
    const id = isWhole ? 'this id' : `an id that begins with “${text}”`;
    const hint = 'To find an older one, give its uuid or a link.';
    throw new AppError('not_found', `None of the newest ${count(searchedNewest)} runs has ${id}.`, { hint });
  }
  if (isWhole) throw noExecution('with this id');
  throw noExecution(`whose id begins with “${text}”`, 'You can also give its uuid or a link.');
}

async function findByName(request: TypedExecution, context: CommandContext): Promise<FoundExecution> {
  const chosen = await chooseWorkflow({ ...request, takesWindow: true, isStrict: true }, context);
  if (chosen.kind === 'choose') return chosen;
  return one(await readNewest(chosen.uuid, chosen, context), chosen.lead);
}

/** `the last good run of payments` */
const goodWords = /^(?:good|ok|successful|succeeded|success|green|working)$/i;

/**
 * Without a window the newest failure of the last seven days, or success if a good run is wanted; else the newest run of all.
 * @throws AppError `not_found`
 */
async function readNewest(
  workflowUuid: string,
  { window: typed, words }: Pick<ChosenWorkflow, 'window' | 'words'>,
  context: CommandContext,
): Promise<Answered<ExecutionDetail>> {
  const ask = context.ask();
  const now = context.clock();
  const window = await windowOf(typed ?? lastDays, context);
  const always = { from: 0, to: now, label: 'always', isMoving: true };
  const statuses = [words.some((word) => goodWords.test(word)) ? ('SUCCESS' as const) : ('FAILURE' as const)];
  const filters = [{ statuses, window }, { window }, ...(typed === null ? [{ window: always }] : [])];
  for (const filter of filters) {
    const { data, provenance } = await ask.executions({ ...filter, workflowUuid, page: 0, size: 1 });
    const [newest] = data.executions;
    if (newest === undefined && provenance.missing.length > 0) throw unreadRun(workflowUuid);
    if (newest === undefined) continue;
    const listed = await readListed(newest.uuid, ask);
    // There may be a newer one than an old list has.
    return provenance.source === 'stale'
      ? { ...listed, provenance: combinedProvenance(provenance, listed.provenance) }
      : listed;
  }
  if (typed !== null)
    throw new AppError(
      'not_found',
      `The query service has no run of this workflow that started in the window “${typed.label}”.`,
    );
  throw await noExecutionOf(workflowUuid, ask);
}

function unreadRun(workflowUuid: string): AppError {
  const command = { line: `executions ${workflowUuid}`, purpose: 'choose another one' };
  return new AppError('unavailable', 'The newest run of this workflow could not be read.', { command });
}

/** A workflow that never ran, one whose executions are not kept, and an unknown id are different answers. */
async function noExecutionOf(workflowUuid: string, ask: QueryClient): Promise<AppError> {
  const { data, provenance } = await ask.everyWorkflow();
  const workflow = data.find(({ uuid }) => uuid === workflowUuid);
  if (workflow?.executedAt === null) return new AppError('not_found', `${workflow.name} has never run.`);
  if (workflow) {
    const at = dateFallback(Date.parse(workflow.executedAt));
    return new AppError(
      'not_found',
      `The query service no longer keeps any run of ${workflow.name}. The last one started at ${at}.`,
    );
  }
  return noExecution('or workflow with this id', notSearched(provenance.missing));
}
