/**
 * Dispatches every command line, typed, clicked or scheduled: parses, authorises, runs, and applies the workspace's settings to
 * the answer. Dispatches form submissions to the command of the form, with the rights of the person who submitted.
 */
import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import { withoutMasking } from '../../../shared/redaction/masking.ts';
import type { Actor, Person } from '../../domain/person.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import { createAnswerDeadline } from '../../query/client/deadline.ts';
import { isShareable } from '../../views/blocks/command-button.ts';
import type { Message } from '../../views/blocks/message.ts';
import { withUnreadNote } from '../../views/notices/modal-notices.ts';
import { logsRestrictedMessage, serviceBusyMessage } from '../../views/notices/problem.ts';
import { answerOtherId, answerUnknownWord } from '../lookup/unknown-word.ts';
import {
  type Answer,
  type AnswerFile,
  type AnyCommand,
  type CommandContext,
  ephemeral,
  type FormAnswer,
  type FormErrors,
  type FormValues,
  type MessageAnswer,
  otherVersionError,
  type Services,
  type ThreadAnswer,
} from './command.ts';
import { findCommand } from './description.ts';
import { hasTypedSecret, type ParsedLine, readArguments, splitLine } from './parse.ts';
import { asAppError, type ProblemFacts, problemOf } from './problem.ts';

export type CommandRequest = {
  /** The plain text after the slash command (`slack/` has undone Slack's escaping, once), or a button's value. */
  readonly line: string;
  readonly actor: Actor;
  /** Bypasses the cache. */
  readonly isFresh: boolean;
};

/**
 * @param onProgress takes messages to show until the answer is ready
 * @returns never rejects: an error becomes an Answer. Settles in microtasks if everything it needs is cached
 */
export type Dispatch = (request: CommandRequest, onProgress?: OnProgress) => Promise<Answer>;

export type OnProgress = (message: Message) => void;

export function createDispatch(services: Services): Dispatch {
  const { access, commands, slashCommand } = services;
  const { clock, log, measure } = services.runtime;
  return async ({ line, actor, isFresh }, onProgress) => {
    const startedAt = clock();
    let command: AnyCommand | undefined;
    let read: ReadLine | undefined;
    try {
      // In a message, people type the slash command, too.
      read = readLine(commands, line.startsWith(`${slashCommand} `) ? line.slice(slashCommand.length) : line);
      access.commandQuota.acquire(actor);
      command = read.command;
      await access.authorise(command ?? unknownWord, actor);
      const context = contextFor(services, actor, isFresh, onProgress);
      const run = runOf(read);
      const settings = await access.settingsOf(actor.teamId);
      const made = await runMasked(settings, () => run(context));
      const answer = withVisibility(reopenedBy(read, made), settings, actor);
      const durationMs = clock() - startedAt;
      const { name } = command ?? unknownWord;
      const isProblem = answer.kind === 'message' && answer.isProblem;
      log.info({ teamId: actor.teamId, command: name, durationMs }, 'command answered');
      measure({ kind: 'command', command: name, outcome: isProblem ? 'usage' : 'answered', durationMs });
      return answer;
    } catch (thrown) {
      const error = asAppError(thrown);
      const { name } = command ?? unknownWord;
      measure({ kind: 'command', command: name, outcome: error.code, durationMs: clock() - startedAt });
      return {
        ...ephemeral(await explain(services, { actor, command, error, line: read?.line ?? null })),
        isProblem: true,
      };
    }
  };
}

/** @returns the message about an error that the person reads; logged */
async function explain(
  { access, slashCommand, runtime }: Services,
  facts: Pick<ProblemFacts, 'actor' | 'command' | 'error' | 'line'>,
): Promise<Message> {
  const adminIds = facts.error.isForAdmins ? await access.adminIds(facts.actor.teamId) : [];
  return problemOf({ ...facts, slashCommand, adminIds }, runtime.log, runtime.createReference);
}

/** Stands in for a command where a line has none. */
const unknownWord = { name: 'unknown' };

/** @returns true if the answer to the line will be a form, which has to open before its trigger expires */
export function opensModal(commands: readonly AnyCommand[], line: string): boolean {
  const { word, words } = splitLine(line);
  const command = findCommand(commands, word);
  if (command?.form === undefined || words.includes('--help')) return false;
  return command.opensModal?.(words) ?? true;
}

/** @throws AppError `usage` for arguments that the command does not take */
function runOf(read: ReadLine): (context: CommandContext) => Promise<Answer> {
  const { command } = read;
  const raw = command && readArguments(read.words, command.accepts);
  const run = (context: CommandContext) => command?.runWith(raw, context) ?? answerUnknownWord(read, context);
  return (context) => run(context).catch((error: unknown) => answerOtherId(error, read, context));
}

/** A line that is safe to repeat in a button or a log. */
type ReadLine = ParsedLine & {
  readonly command: AnyCommand | undefined;
  /** The line without the words that were dropped. */
  readonly line: string;
  readonly hasDropped: boolean;
};

/**
 * Drops the words after a command that only opens a form without reading them: people type keys and passwords there.
 * @throws AppError `usage` for a line that is too long or holds a secret
 */
function readLine(commands: readonly AnyCommand[], line: string): ReadLine {
  const { word, words } = splitLine(line);
  const command = findCommand(commands, word === '' ? 'help' : word);
  const help = findCommand(commands, 'help');
  if (command && help && words.includes('--help')) {
    const about = command.name;
    return { word: 'help', words: [about], command: help, line: `help ${about}`, hasDropped: false };
  }
  if (command?.form && command.accepts.size === 0 && words.length > 0) {
    return { word, words: [], command, line: command.name, hasDropped: true };
  }
  if (hasTypedSecret([word, ...words])) {
    throw new AppError(
      'usage',
      'That looks like a secret, so the command was not run. Never type a key into a command.',
      {
        hint: 'If it was a key, revoke it now and create a new one. If it was a name, type a part of it, or choose it in a menu.',
      },
    );
  }
  const takesNothing = command?.accepts.size === 0;
  return { word, words, command, line: takesNothing ? command.name : line, hasDropped: false };
}

function reopenedBy({ line, hasDropped }: ReadLine, answer: Answer): Answer {
  if (answer.kind !== 'modal') return answer;
  return { ...answer, view: hasDropped ? withUnreadNote(answer.view) : answer.view, line };
}

/** Shorter pauses are not shown. */
const shownPauseMinMs = 2_000;

function contextFor<Who extends Person>(
  services: Services,
  actor: Who,
  isFresh: boolean,
  progress: OnProgress = () => undefined,
): CommandContext<Who> {
  const { connections, members, runtime, answerWithinMs } = services;
  const deadline = createAnswerDeadline(answerWithinMs);
  const onPause = (waitMs: number) => {
    if (waitMs >= shownPauseMinMs) progress(serviceBusyMessage(waitMs));
  };
  return {
    actor,
    clock: runtime.clock,
    progress,
    services,
    ask: () => connections.queryClientFor(actor.teamId, { isFresh, onPause, deadline }),
    zone: () => members.zoneOf(actor),
  };
}

/** Applies visibility, and hides log lines where the workspace does not allow them. @returns the same answer if the settings change nothing */
function withVisibility(answer: Answer, settings: WorkspaceSettings, { channelId }: Actor): Answer {
  const { logChannels } = settings;
  // A direct message may always show logs.
  const areLogsAllowed = logChannels === null || channelId.startsWith('D') || logChannels.includes(channelId);
  switch (answer.kind) {
    case 'modal':
      return answer;
    case 'thread':
      return areLogsAllowed || answer.isPrivate ? answer : withoutLogs(answer);
    case 'message':
      return answer.hasLogs && !areLogsAllowed
        ? { ...answer, isDirect: true }
        : withDefaultVisibility(answer, settings);
  }
}

/** Replaces log replies with a button that sends the logs to direct messages. */
function withoutLogs(answer: ThreadAnswer): ThreadAnswer {
  const replies = answer.replies.map(({ name, message, file, hasLogs }) =>
    hasLogs ? { name, message: logsRestrictedMessage(`logs ${answer.subject}`) } : { name, message, file },
  );
  return { ...answer, replies };
}

/** Applies the default visibility to shareable answers; questions, refusals and personal answers stay ephemeral. */
function withDefaultVisibility(answer: MessageAnswer, { defaultVisibility }: WorkspaceSettings): MessageAnswer {
  if (answer.visibility === defaultVisibility || answer.isProblem || !isShareable(answer.message.blocks)) return answer;
  return { ...answer, visibility: defaultVisibility };
}

/** Runs a command with or without masking of secrets, by the setting. */
async function runMasked({ isRedacting }: WorkspaceSettings, run: () => Promise<Answer>): Promise<Answer> {
  if (isRedacting) return run();
  const answer = await withoutMasking(run);
  switch (answer.kind) {
    case 'modal':
      return answer;
    case 'message':
      return { ...answer, ...unmasked(answer) };
    case 'thread':
      return { ...answer, replies: answer.replies.map((reply) => ({ ...reply, ...unmasked(reply) })) };
  }
}

/** File contents are built later, at delivery. */
function unmasked({ file }: { readonly file?: AnswerFile | undefined }) {
  return file && { file: { ...file, content: () => withoutMasking(file.content) } };
}

export type Submission = {
  /** The word of the command whose form it is. */
  readonly command: string;
  /** From the verified envelope. */
  readonly actor: Person;
  /** May contain secrets: never logged, never shown again. */
  readonly values: FormValues;
};

export type Submitted =
  | FormAnswer
  /** The values are invalid. This is known at once, so the form is still open. */
  | { readonly kind: 'errors'; readonly errors: FormErrors; readonly form: null }
  | { readonly kind: 'problem'; readonly message: Message };

/** Never rejects. Submitted values are never logged. */
export type Submit = (submission: Submission) => Promise<Submitted>;

export function createSubmit(services: Services): Submit {
  const { access, commands } = services;
  const { clock, log, measure } = services.runtime;
  return async (submission) => {
    const startedAt = clock();
    const { actor } = submission;
    const command = commands.find(({ name, form }) => form && name === submission.command);
    const ended = (outcome: 'answered' | ErrorCode) => {
      const durationMs = clock() - startedAt;
      measure({ kind: 'command', command: command?.name ?? 'unknown', outcome, durationMs });
      return { teamId: actor.teamId, command: command?.name ?? null, durationMs };
    };
    try {
      access.commandQuota.acquire(actor);
      const answer = await submitForm(services, command, submission);
      const isRefused = answer.kind === 'errors';
      log.info(ended(isRefused ? 'usage' : 'answered'), isRefused ? 'form refused' : 'form answered');
      return answer;
    } catch (thrown) {
      const error = asAppError(thrown);
      ended(error.code);
      return { kind: 'problem', message: await explain(services, { actor, command, error, line: null }) };
    }
  };
}

async function submitForm(
  services: Services,
  command: AnyCommand | undefined,
  { actor, values }: Submission,
): Promise<Submitted> {
  if (!command?.form) throw otherVersionError();
  const read = command.form.read(values);
  if ('errors' in read) return { kind: 'errors', errors: read.errors, form: null };
  // The listener has already acknowledged the submission.
  await services.access.authorise(command, actor);
  return read.submit(contextFor(services, actor, true));
}
