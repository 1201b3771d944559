/** The shortcut "Explain this failure" on a message: explains the execution or workflow that the message names, in a thread under it. */
import type { Middleware, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import { AppError } from '../../../../shared/errors.ts';
import { readRecord } from '../../../../shared/json.ts';
import { asAppError, type ProblemDeps, problemOf } from '../../../commands/framework/problem.ts';
import type { NamesIn } from '../../../commands/lookup/menu-search.ts';
import { pickWorkflowMessage } from '../../../views/notices/pick-workflow.ts';
import type { Delivery } from '../../outbound/delivery/delivery.ts';
import { noChannelMessage, noExecutionMessage } from '../../outbound/delivery/notices.ts';
import type { Acknowledgements } from '../middleware/acknowledgement.ts';
import { readShortcut } from '../middleware/read-payload.ts';
import type { Answering } from './answering.ts';

/** Must match the app's manifest. */
export const explainFailureId = 'explain_failure';

export type ShortcutListenerDeps = ProblemDeps & {
  readonly answer: Answering;
  readonly acknowledgements: Acknowledgements;
  readonly delivery: Delivery;
  readonly namesIn: NamesIn;
};

export function createShortcutListener(deps: ShortcutListenerDeps): Middleware<SlackShortcutMiddlewareArgs> {
  return async ({ body, ack, context }) => {
    deps.acknowledgements.open(() => ack()).ack();
    const { actor, executionId, text, anchorTs, responseUrl } = readShortcut(readRecord(body), context.teamId);
    if (!actor) return;
    const to = { actor, responseUrl, botToken: context.botToken };
    const placement = { kind: 'new', visibility: 'ephemeral' } as const;
    if (anchorTs === undefined) {
      await deps.delivery.deliver(to, noChannelMessage(), placement);
      return;
    }
    const named = executionId === undefined ? await deps.namesIn(actor, text).catch(asAppError) : [];
    if (named instanceof AppError) {
      const problem = problemOf(deps, { actor, command: undefined, error: named, line: null });
      await deps.delivery.deliver(to, problem, placement);
      return;
    }
    const [only, second] = named;
    const uuid = executionId ?? (second ? undefined : only?.uuid);
    if (uuid === undefined) {
      const pick = { typed: 'this message', choices: named, lineFor: (id: string) => `execution ${id}` };
      await deps.delivery.deliver(to, second ? pickWorkflowMessage(pick) : noExecutionMessage(), placement);
      return;
    }
    const request = { line: `execution ${uuid}`, actor, isFresh: false };
    const progress = deps.delivery.progress(to, 'below');
    const answer = await deps.answer(request, progress.show, { botToken: context.botToken, anchorTs });
    await progress.end();
    if (answer) await deps.delivery.deliver(to, answer.message, placement);
  };
}
