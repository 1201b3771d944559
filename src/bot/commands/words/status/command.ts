/** `status`: the status card of one workflow. */
import { z } from 'zod';
import { freezeDeep, memoizeLatest } from '../../../../shared/cache/memoize.ts';
import { resolveWindow, windowBefore } from '../../../domain/window.ts';
import { countWithErrors } from '../../../insight/executions/result.ts';
import { judgeHealth } from '../../../insight/health/health.ts';
import type { WorkflowStatus } from '../../../query/results.ts';
import { windowExpression, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral, type MessageAnswer } from '../../framework/command.ts';
import { chooseWorkflow, unknownWorkflow } from '../../lookup/find-workflow.ts';
import { type StatusCard, statusMessage } from './view.ts';

const failuresMax = 5;

export const status = defineCommand({
  name: 'status',
  summary: 'how one workflow is doing: runs, failures, last errors, last deployment',
  usage: '<name> [window]',
  examples: ['status payments', 'status payments-eu 7d', 'status fx-rates yesterday'],
  arguments: z.strictObject({ text: workflowText, window: windowExpression }),
  run: async ({ text, window: expression }, context) => {
    const ask = context.ask();
    const now = wholeSecond(context.clock());
    const window = resolveWindow(expression, now, expression.needsZone ? await context.zone() : 'UTC');
    const lineFor = (uuid: string) => `status ${uuid} ${window.label}`;
    const chosen = await chooseWorkflow({ typed: text, ask, lineFor, takesWindow: true });
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const { uuid, takenFor } = chosen;
    const { data, provenance } = await ask.workflowStatus({ uuid, window, failuresMax });
    return cardOf(data, { takenFor, window, provenance, now, webUrl: context.webLinks.workflow(uuid) });
  },
});

/** A card shows no finer times. */
function wholeSecond(at: number): number {
  return at - (at % 1000);
}

type CardRequest = Pick<StatusCard, 'takenFor' | 'window' | 'provenance' | 'now' | 'webUrl'>;

/** Memoized: during an incident many people ask for the same card within one second. */
const cardOf = memoizeLatest(
  (request: CardRequest) => JSON.stringify(request),
  (data: WorkflowStatus, request) => freezeDeep(makeCard(data, request)),
);

function makeCard(data: WorkflowStatus, request: CardRequest): MessageAnswer {
  const { workflow } = data;
  const { window, provenance, now } = request;
  if (!workflow) throw unknownWorkflow('with this id');
  // Before its registration there were no runs, so the previous window is incomplete.
  const isNew = Date.parse(workflow.registeredAt) > windowBefore(window).from;
  const countsBefore = isNew ? null : data.countsBefore;
  const health = judgeHealth({
    ...data,
    countsBefore,
    deploymentStatus: workflow.status,
    executedAt: workflow.executedAt === null ? null : Date.parse(workflow.executedAt),
    windowMs: window.to - window.from,
    isPast: !window.isMoving,
    // A stale answer cannot prove silence after its own time.
    now: Math.min(now, provenance.asOf),
  });
  const { successes, counts } = data;
  const isRead = successes !== null && counts !== null && successes.length >= counts.success;
  const withErrors = successes && countWithErrors(successes, isRead);
  return ephemeral(statusMessage({ ...data, ...request, countsBefore, workflow, health, withErrors }));
}
