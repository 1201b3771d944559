/** Dispatches form submissions to the command of the form, with the rights of the person who submitted. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { Person } from '../../domain/person.ts';
import type { Message } from '../../views/blocks/message.ts';
import {
  type AnyCommand,
  type FormAnswer,
  type FormErrors,
  type FormValues,
  otherVersionError,
  type Services,
} from './command.ts';
import { contextFor } from './dispatch.ts';
import { asAppError, problemOf } from './problem.ts';

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
  const { access, commands, slashCommand } = services;
  const { clock, createReference, log, measure } = services.runtime;
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
      const answer = await run(services, command, submission);
      const isRefused = answer.kind === 'errors';
      log.info(ended(isRefused ? 'usage' : 'answered'), isRefused ? 'form refused' : 'form answered');
      return answer;
    } catch (thrown) {
      const error = asAppError(thrown);
      ended(error.code);
      const adminIds = error.isForAdmins ? await access.adminIds(actor.teamId) : [];
      const facts = { slashCommand, actor, command, error, line: null, adminIds };
      return { kind: 'problem', message: problemOf(facts, log, createReference) };
    }
  };
}

async function run(
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
