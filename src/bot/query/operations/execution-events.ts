/** The events of several executions in one round trip. */

import { batchByAlias } from '../batch.ts';
import type { Operation } from '../cache/answers.ts';
import { WorkflowExecutionEventsDocument } from '../generated/operations.ts';
import type { ExecutionEvent } from '../results.ts';
import { lackWords, rowTypes } from '../rows.ts';
import { inOrderOfStart, rowsOf } from './execution.ts';

/** They are those of executions that have ended. */
const freshMs = 10 * 60_000;
/** An execution has many steps: six keep well below any limit on how much is asked for. */
const executionsMax = 6;

const askEvents = batchByAlias(WorkflowExecutionEventsDocument, 'workflowExecutionEvents', executionsMax);

type EventsByUuid = readonly (readonly [uuid: string, events: readonly ExecutionEvent[]])[];

export function eventsOfOperation(given: readonly string[]): Operation<EventsByUuid> {
  const uuids = [...new Set(given)].toSorted();
  return {
    name: 'events of',
    parameters: uuids,
    subject: 'the steps of these executions',
    freshMs: () => freshMs,
    read: async (ask) => {
      const inputs = uuids.map((uuid) => ({ workflowExecutionUUID: uuid }));
      const outcome = await askEvents(ask, inputs);
      if ('fault' in outcome) return outcome;
      const found: [string, readonly ExecutionEvent[]][] = [];
      let [unreadable, surplus] = [0, 0];
      for (const [index, { reply, name }] of outcome.value.entries()) {
        const rows = rowsOf(rowTypes.event, reply, name);
        if (rows) found.push([uuids[index] ?? '', inOrderOfStart(rows.rows)]);
        unreadable += rows?.unreadable ?? 0;
        surplus += rows?.surplus ?? 0;
      }
      const lost = uuids.length - found.length;
      const missing = [
        ...(lost > 0 ? [`the steps of ${lost} of ${uuids.length} executions`] : []),
        ...lackWords({ unreadable, surplus }, 'steps'),
      ];
      return { value: { data: found, missing } };
    },
  };
}
