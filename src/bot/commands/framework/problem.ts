/** Turns a thrown error into the message that the person reads, and logs it with a reference. */
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Person } from '../../domain/person.ts';
import type { Message } from '../../views/blocks/message.ts';
import { problemMessage, usageMessage } from '../../views/notices/problem.ts';
import type { AnyCommand } from './command.ts';
import { takesWorkflow } from './description.ts';
import { splitLine } from './parse.ts';

export type ProblemFacts = {
  readonly slashCommand: string;
  readonly actor: Person;
  readonly command: AnyCommand | undefined;
  readonly error: AppError;
  /** The command line; null for a form, which stays open and can be submitted again. */
  readonly line: string | null;
  /** The admins of the bot, for an error with which they can help. */
  readonly adminIds: readonly string[];
};

export function problemOf(
  { slashCommand, actor, command, error, line, adminIds }: ProblemFacts,
  log: Logger,
  createReference: () => string,
): Message {
  const fields = { teamId: actor.teamId, command: command?.name ?? null, code: error.code };
  if (error.code === 'usage' && command && line !== null) {
    const usage = `${slashCommand} ${command.name} ${command.usage}`.trim();
    const examples = command.examples.map((example) => `${slashCommand} ${example}`);
    log.info(fields, 'command refused');
    const lacksWorkflow = splitLine(line).words.length === 0 && takesWorkflow(command);
    const lineFor = lacksWorkflow ? (uuid: string) => `${command.name} ${uuid}` : null;
    return usageMessage({ error, slashCommand, usage, examples, lineFor });
  }
  // A secret that cannot be decrypted is already logged once, not for each command.
  const isFault = (error.code === 'internal' || error.code === 'unavailable') && !error.unreadable;
  const reference = isFault ? createReference() : null;
  if (isFault) log.error({ ...fields, ref: reference, err: error.cause ?? error }, 'command failed');
  else log.info(fields, 'command refused');
  return problemMessage({ error, adminIds, reference, slashCommand, line: error.isRetryable ? line : null });
}

/** @returns an AppError as it is; any other error as `internal` */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  return new AppError(
    'internal',
    'Something went wrong in the bot. Give the reference below to the person who runs it.',
    {
      cause: thrown,
    },
  );
}
