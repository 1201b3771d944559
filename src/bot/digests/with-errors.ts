/** The successes of a digest's window that completed with errors: the newest are read one by one, because no service counts them. */
import type { ChosenWorkflows } from '../domain/subscription.ts';
import { spelledWindow } from '../domain/window.ts';
import { countWithErrors, isCompletedWithErrors, type SuccessesWithErrors } from '../insight/executions/result.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Execution } from '../query/results.ts';
import { hasText, type MaybeFact, orMissing, type TimeSpan } from './queries.ts';

/** Workflows that completed with errors, by name, with the number of such runs. */
export type DigestWithErrors = SuccessesWithErrors & { readonly workflows: ReadonlyMap<string, number> };

/** The service filters executions by their start. Those that started earlier are not looked at. */
const longestExecutionMs = 10 * 60_000;
/** Ten pages hold the successes of a day of three workflows that run every five minutes. */
const pagesMax = 10;
const pageSize = 100;
const missingName = 'which runs completed with errors';

/** @returns null without a missing part if the service does not say which runs had errors */
export async function queryWithErrors(
  ask: QueryClient,
  about: ChosenWorkflows,
  span: TimeSpan,
): Promise<MaybeFact<DigestWithErrors>> {
  const { from, to } = span;
  const start = from - longestExecutionMs;
  const window = { from: start, to, label: spelledWindow(start, to), isMoving: false };
  const found: Execution[] = [];
  const missing = new Set<string>();
  const uuids = about.kind === 'chosen' ? about.uuids : [undefined];
  let pagesLeft = pagesMax;
  let isRead = true;
  for (const workflowUuid of uuids) {
    let hasMore = true;
    for (let page = 0; hasMore && pagesLeft > 0; page += 1, pagesLeft -= 1) {
      const filter = { ...(workflowUuid !== undefined && { workflowUuid }), statuses: ['SUCCESS'], window };
      const { data, missing: lacking } = await orMissing(
        ask.executions({ ...filter, page, size: pageSize }),
        missingName,
      );
      for (const name of lacking) missing.add(name);
      if (data === null) return { data: countOf(about, span, found, false), missing: [...missing] };
      found.push(...data.executions);
      if (isSilentAbout(found)) return { data: null, missing: [] };
      hasMore = data.hasMore;
    }
    isRead &&= !hasMore;
  }
  return { data: countOf(about, span, found, isRead && missing.size === 0), missing: [...missing] };
}

/** A service that lacks the field needs no further question. */
function isSilentAbout(executions: readonly Execution[]): boolean {
  return executions.length > 0 && countWithErrors(executions, false) === null;
}

function countOf(
  about: ChosenWorkflows,
  { from, to }: TimeSpan,
  found: readonly Execution[],
  isRead: boolean,
): DigestWithErrors | null {
  const executions = [...new Map(found.map((execution) => [execution.uuid, execution])).values()].filter(
    (execution) => {
      const endedAt = Date.parse(execution.finishedAt ?? execution.startedAt);
      const isChosen = about.kind !== 'text' || hasText(execution.workflowName, about.text);
      return isChosen && endedAt >= from && endedAt < to;
    },
  );
  const counts = countWithErrors(executions, isRead);
  if (counts === null) return null;
  const flawed = executions.filter(isCompletedWithErrors);
  const workflows = [...Map.groupBy(flawed, ({ workflowName }) => workflowName)].map(
    ([name, own]) => [name, own.length] as const,
  );
  return { ...counts, workflows: new Map(workflows.sort(([, one], [, other]) => other - one)) };
}
