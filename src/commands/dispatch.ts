/** One door for every command line, typed, clicked or scheduled. */
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { type Measure, measureNothing } from '../core/measure.ts';
import { holdsSecret } from '../core/redact.ts';
import type { Asking, AskingOptions } from '../query/asking.ts';
import { busyMessage } from '../views/busy.ts';
import type { Message } from '../views/kit/message.ts';
import { problemMessage, unknownWordMessage, usageMessage } from '../views/problem.ts';
import { type Actor, type Answer, type AnyCommand, type CommandContext, ephemeral } from './command.ts';
import { createPace } from './pace.ts';
import { readArguments, splitLine } from './parse.ts';
import { nearestCommands } from './suggest.ts';
import { createUnderWay } from './under-way.ts';
import { takesWorkflow } from './usage.ts';

export type CommandRequest = {
  /** What follows the slash command, as plain text (`slack/` has undone Slack's escaping, once); or a button's value. */
  readonly line: string;
  readonly actor: Actor;
  /** Ask the service again even where an answer is cached. */
  readonly isFresh: boolean;
};

export type DispatchHooks = {
  /** Called at most once, when the answer has to wait for somebody else: the time to acknowledge. */
  readonly onWait: () => void;
  /** Called after `onWait`, with what the person may read until the answer is here. */
  readonly onProgress?: (message: Message) => void;
};

/** Never rejects: an error is an Answer too. When nobody had to be waited for, it settles without any I/O. */
export type Dispatch = (request: CommandRequest, hooks: DispatchHooks) => Promise<Answer>;

export type DispatchDeps = {
  readonly commands: readonly AnyCommand[];
  /** @throws AppError `unauthorized` when the workspace has no key */
  readonly askingFor: (teamId: string, options: AskingOptions) => Asking;
  /** The person's IANA time zone; `onWait` is called before Slack has to be asked. */
  readonly zoneOf: (actor: Actor, onWait: () => void) => Promise<string>;
  readonly drawPng: CommandContext['drawPng'];
  readonly slashCommand: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly measure?: Measure;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
};

/** A shorter pause is over before anybody has read of it. */
const pauseToldMs = 2_000;

export function createDispatch(deps: DispatchDeps): Dispatch {
  const pace = createPace(deps);
  const underWayOf = createUnderWay(deps);
  const { clock, measure = measureNothing } = deps;
  return async (request, hooks) => {
    const startedAt = clock();
    const { actor } = request;
    const person = `${actor.teamId}:${actor.userId}`;
    let command: AnyCommand | undefined;
    try {
      pace.check(person);
      const { word, words } = splitLine(request.line);
      refuseSecrets([word, ...words]);
      command = findCommand(deps.commands, word);
      if (!command) {
        measure({ kind: 'command', command: 'unknown', outcome: 'usage', durationMs: 0 });
        return { ...ephemeral(unknownWord(deps, word)), isProblem: true };
      }
      const context = { ...contextOf(deps, request, hooks), underWay: underWayOf(person) };
      const answer = await command.runWith(readArguments(words, command.accepts), context);
      const durationMs = clock() - startedAt;
      deps.log.info({ teamId: actor.teamId, command: command.name, durationMs }, 'command answered');
      measure({ kind: 'command', command: command.name, outcome: 'answered', durationMs });
      return answer;
    } catch (thrown) {
      const error = asAppError(thrown);
      const name = command?.name ?? 'unknown';
      measure({ kind: 'command', command: name, outcome: error.code, durationMs: clock() - startedAt });
      return { ...ephemeral(problem(deps, request, command, error)), isProblem: true };
    }
  };
}

function findCommand(commands: readonly AnyCommand[], word: string): AnyCommand | undefined {
  const name = word === '' ? 'help' : word;
  return commands.find((command) => command.name === name);
}

function contextOf(
  deps: DispatchDeps,
  { actor, isFresh }: CommandRequest,
  hooks: DispatchHooks,
): Omit<CommandContext, 'underWay'> {
  let isWaiting = false;
  const onWait = () => {
    if (!isWaiting) hooks.onWait();
    isWaiting = true;
  };
  const progress = (message: Message) => {
    onWait();
    hooks.onProgress?.(message);
  };
  const onPause = (waitMs: number) => {
    if (waitMs >= pauseToldMs) progress(busyMessage(waitMs));
  };
  return {
    actor,
    clock: deps.clock,
    ask: () => deps.askingFor(actor.teamId, { isFresh, onWait, onPause }),
    progress,
    zone: () => deps.zoneOf(actor, onWait),
    drawPng: deps.drawPng,
    commands: deps.commands,
    slashCommand: deps.slashCommand,
  };
}

/** A key typed in the wrong place is not repeated back, kept or passed on, not even in part. */
function refuseSecrets(words: readonly string[]): void {
  if (!words.some(holdsSecret)) return;
  throw new AppError(
    'usage',
    'That looks like a secret, so I have not read it. Please never type a key into a command.',
  );
}

function unknownWord({ commands, slashCommand }: DispatchDeps, word: string): Message {
  const nearest = nearestCommands(word, commands);
  const known = commands.map(({ name }) => name);
  const example = commands.find(({ name }) => name !== 'help')?.examples[0] ?? 'help';
  return unknownWordMessage({ word, nearest, known, example, slashCommand });
}

function problem(
  deps: DispatchDeps,
  request: CommandRequest,
  command: AnyCommand | undefined,
  error: AppError,
): Message {
  const fields = { teamId: request.actor.teamId, command: command?.name ?? null, code: error.code };
  if (error.code === 'usage' && command) {
    const usage = `${deps.slashCommand} ${command.name} ${command.usage}`.trim();
    const examples = command.examples.map((example) => `${deps.slashCommand} ${example}`);
    deps.log.info(fields, 'command refused');
    const lacksWorkflow = splitLine(request.line).words.length === 0 && takesWorkflow(command);
    const lineFor = lacksWorkflow ? (uuid: string) => `${command.name} ${uuid}` : null;
    return usageMessage({ error, usage, examples, lineFor });
  }
  const isFault = error.code === 'internal' || error.code === 'unavailable';
  const reference = isFault ? deps.createReference() : null;
  if (isFault) deps.log.error({ ...fields, ref: reference, err: error.cause ?? error }, 'command failed');
  else deps.log.info(fields, 'command refused');
  return problemMessage({ error, reference, line: error.isRetryable ? request.line : null });
}

function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError('internal', 'Something went wrong on our side. The reference below finds it in the log.', {
    cause: thrown,
  });
}
