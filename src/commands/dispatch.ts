/** One door for every command line, typed, clicked or scheduled. */
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { type Measure, measureNothing } from '../core/measure.ts';
import { holdsSecret } from '../core/redact.ts';
import { onlyOnce } from '../core/waiting.ts';
import type { Message } from '../views/kit/message.ts';
import type { Modal } from '../views/kit/modal.ts';
import { loadingModal } from '../views/modal-notices.ts';
import { unknownWordMessage } from '../views/problem.ts';
import { type Actor, type Answer, type AnyCommand, ephemeral } from './command.ts';
import { type ContextDeps, contextFor } from './context.ts';
import { maskedAs } from './masked.ts';
import { createPace } from './pace.ts';
import { readArguments, splitLine } from './parse.ts';
import { placed } from './placing.ts';
import { asAppError, problemOf } from './problem.ts';
import type { Authorise } from './rights.ts';
import { nearestCommands } from './suggest.ts';
import { createUnderWay } from './under-way.ts';

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
  /** Called with `onWait` where the answer will be a modal: what opens one is good for seconds only. */
  readonly onModalWait?: (loading: Modal) => void;
};

/** Never rejects: an error is an Answer too. When nobody had to be waited for, it settles without any I/O. */
export type Dispatch = (request: CommandRequest, hooks: DispatchHooks) => Promise<Answer>;

export type DispatchDeps = ContextDeps & {
  readonly authorise: Authorise;
  readonly log: Logger;
  readonly measure?: Measure;
  /** A short id that names one fault in an answer and in the log. */
  readonly createReference: () => string;
};

export function createDispatch(deps: DispatchDeps): Dispatch {
  const pace = createPace(deps);
  const underWayOf = createUnderWay(deps);
  const { clock, measure = measureNothing } = deps;
  return async ({ line, actor, isFresh }, hooks) => {
    const startedAt = clock();
    const person = `${actor.teamId}:${actor.userId}`;
    let command: AnyCommand | undefined;
    try {
      pace.check(person);
      const { word, words } = splitLine(line);
      refuseSecrets([word, ...words]);
      command = findCommand(deps.commands, word);
      if (!command) {
        measure({ kind: 'command', command: 'unknown', outcome: 'usage', durationMs: 0 });
        return { ...ephemeral(unknownWord(deps, word)), isProblem: true };
      }
      const onWait = onlyOnce(announce(command, words, hooks));
      await deps.authorise(command, actor, onWait);
      const context = contextFor(deps, actor, { isFresh, onWait, onProgress: hooks.onProgress });
      const raw = readArguments(words, command.accepts);
      const settings = await deps.settingsOf(actor.teamId);
      const { runWith } = command;
      const made = await maskedAs(settings, () => runWith(raw, { ...context, underWay: underWayOf(person) }));
      const answer = placed(made, settings, actor);
      const durationMs = clock() - startedAt;
      deps.log.info({ teamId: actor.teamId, command: command.name, durationMs }, 'command answered');
      measure({ kind: 'command', command: command.name, outcome: 'answered', durationMs });
      return answer;
    } catch (thrown) {
      const error = asAppError(thrown);
      const name = command?.name ?? 'unknown';
      measure({ kind: 'command', command: name, outcome: error.code, durationMs: clock() - startedAt });
      return { ...ephemeral(problemOf(deps, { actor, command, error, line })), isProblem: true };
    }
  };
}

function announce({ form, opensModal }: AnyCommand, words: readonly string[], hooks: DispatchHooks): () => void {
  return () => {
    if (form && opensModal?.(words) !== false) hooks.onModalWait?.(loadingModal());
    hooks.onWait();
  };
}

function findCommand(commands: readonly AnyCommand[], word: string): AnyCommand | undefined {
  const name = word === '' ? 'help' : word;
  return commands.find((command) => command.name === name);
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
