/** `status`: the status card of one workflow. */
import { z } from 'zod';
import { freezeDeep, memoizeLatest } from '../../../../shared/cache/memoize.ts';
import { midnight } from '../../../domain/point-in-time.ts';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { answeredWindow, type Window, windowBefore } from '../../../domain/window.ts';
import { lastDay } from '../../../domain/window-words.ts';
import { querySilences } from '../../../health/silences.ts';
import { noTurn, queryTurns, type Turn } from '../../../health/streaks.ts';
import { countWithErrors } from '../../../insight/executions/result.ts';
import { judgeHealth } from '../../../insight/health/health.ts';
import { isGapUnusual, maybeSilent, neverRan, type Silence } from '../../../insight/health/silence.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import {
  type ActivitySeries,
  type Answered,
  notNeeded,
  nullOnFailure,
  type WorkflowStatus,
} from '../../../query/results.ts';
import { partsOf } from '../../../query/spans.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { windowFlag, workflowText } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { chooseWorkflow, unknownWorkflow, windowOf } from '../../lookup/find-workflow.ts';
import { type StatusCard, statusMessage } from './view.ts';

const failuresMax = 5;

export const status = defineCommand({
  name: 'status',
  group: 'look',
  summary: 'how one workflow is doing: runs, failures, last errors, last deployment',
  usage: '<name> [window]',
  examples: ['status payments', 'status payments-eu 7d', 'status fx-rates yesterday'],
  arguments: z.strictObject({ text: workflowText, window: windowFlag }),
  run: async (typed, context) => {
    const ask = context.ask();
    // A card shows no finer times.
    const now = Math.floor(context.clock() / 1000) * 1000;
    const lineFor = (uuid: string) => `status ${uuid}`;
    const chosen = await chooseWorkflow({ ...typed, lineFor, takesWindow: true }, context);
    if (chosen.kind === 'choose') return ephemeral(chosen.message);
    const { uuid, lead } = chosen;
    const asked = await windowOf(chosen.window ?? lastDay, context, now);
    const [status, zone] = await Promise.all([
      ask.workflowStatus({ uuid, window: asked, failuresMax }),
      context.zone(),
    ]);
    const window = answeredWindow(asked, status.provenance.instead, now);
    const { data } = status;
    if (data === null) throw unknownWorkflow();
    const { counts, newestExecutions } = data;
    const counted = counts !== null && window.isMoving ? { counts, from: window.from } : null;
    const read = { uuid, newest: newestExecutions ?? [], window: counted };
    const [silence, turns, series] = await Promise.all([
      querySilence(ask, { ...status, data }, now),
      queryTurns(ask, [read], now, true),
      queryDays(ask, uuid, { window, zone }),
    ]);
    const provenance = combinedProvenance(silence.provenance, turns.provenance, series.provenance);
    const webUrl = context.services.webLinks.workflow(uuid);
    const turn = turns.data.get(uuid) ?? noTurn;
    const days = series.data ?? { buckets: data.days ?? [], zone: 'UTC' };
    const request = { asked, window, provenance, silence: silence.data, turn, days, now, webUrl };
    return ephemeral(cardOf(data, request), lead);
  },
});

/** The days of the window in the reader's zone, and at least seven; the last one whole, as a part would be taken for the day. */
async function queryDays(
  ask: QueryClient,
  workflowUuid: string,
  { window, zone }: { readonly window: Window; readonly zone: string },
): Promise<Answered<ActivitySeries | null>> {
  const from = Math.min(midnight(window.from, zone), midnight(window.to - 1, zone, -6));
  const to = window.isMoving ? window.to : midnight(window.to - 1, zone, 1);
  const days = { ...window, from, to, label: `days of ${window.label}` };
  if (partsOf(days, zone) === undefined) return notNeeded();
  return nullOnFailure(ask.activitySeries({ workflowUuid, window: days }, zone), 'the runs per day');
}

type CardRequest = Pick<StatusCard, 'asked' | 'window' | 'provenance' | 'now' | 'webUrl'> & {
  readonly turn: Turn;
  readonly days: ActivitySeries;
  /** Undefined if a check for silence was due and could not be made. */
  readonly silence: Silence | null | undefined;
};

/** Memoized: during an incident many people ask for the same card within one second. */
const cardOf = memoizeLatest(
  (request: CardRequest) => JSON.stringify(request),
  (data: WorkflowStatus, request) => freezeDeep(makeCard(data, request)),
);

/** Asks only if the gap is longer than the newest ones. */
async function querySilence(
  ask: QueryClient,
  { data: { workflow, newestExecutions }, provenance }: Answered<WorkflowStatus>,
  now: number,
): Promise<Answered<Silence | null | undefined>> {
  const starts = newestExecutions?.map(({ startedAt }) => Date.parse(startedAt)) ?? null;
  // A stale answer cannot prove silence after its own time.
  const at = Math.min(now, provenance.asOf);
  const isDue = maybeSilent([workflow], at).length > 0 && isGapUnusual(starts, at);
  if (!isDue) return { data: null, provenance };
  const silences = await querySilences(ask, [workflow], { now: at, isPast: false });
  const silence = silences.data.get(workflow.uuid);
  const missing = [...provenance.missing, ...(silence === undefined ? ['whether it went silent'] : [])];
  return { data: silence, provenance: { ...provenance, missing } };
}

function makeCard(data: WorkflowStatus, request: CardRequest): Message {
  const { workflow } = data;
  const { window, silence, turn, now, provenance } = request;
  // Before its registration there were no runs, so the previous window is incomplete.
  const isNew = Date.parse(workflow.registeredAt) > windowBefore(window).from;
  const countsBefore = isNew ? null : data.countsBefore;
  const health = judgeHealth({
    ...data,
    deploymentStatus: workflow.status,
    executedAt: workflow.executedAt === null ? null : Date.parse(workflow.executedAt),
    isPast: !window.isMoving,
    silence: silence ?? null,
    isSilenceKnown: silence !== undefined,
    neverRan: neverRan(workflow, data.deployments, Math.min(now, provenance.asOf)),
    ...turn,
  });
  const { successes, counts } = data;
  const isRead = successes !== null && counts !== null && successes.length >= counts.success;
  const withErrors = successes && countWithErrors(successes, isRead);
  return statusMessage({ ...data, ...request, countsBefore, workflow, health, withErrors });
}
