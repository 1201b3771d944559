/** The steps of several executions in one round trip: the document for one, with a field under an alias for each. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import {
  WorkflowExecutionEventsDocument,
  type WorkflowExecutionEventsInput,
  type WorkflowExecutionEventsQuery,
} from '../generated/operations.ts';
import type { Question } from './answers/answers.ts';
import type { ExecutionEvent } from './asking.ts';
import { inOrderOfStart, rowsOf } from './execution.ts';
import { rowTypes, unreadableWords } from './rows.ts';

/** They are those of executions that have ended. */
const freshMs = 10 * 60_000;
/** A service may allow no more than 15 aliases; six keep well below, and below any limit on how much is asked for. */
const aliasesMax = 6;

type EventsByUuid = readonly (readonly [uuid: string, events: readonly ExecutionEvent[]])[];

export function eventsOfQuestion(given: readonly string[]): Question<EventsByUuid> {
  const uuids = [...new Set(given)].toSorted();
  return {
    name: 'events of',
    parameters: uuids,
    subject: 'the steps of these executions',
    freshMs: () => freshMs,
    read: async (ask) => {
      const found: [string, readonly ExecutionEvent[]][] = [];
      let unreadable = 0;
      for (let start = 0; start < uuids.length; start += aliasesMax) {
        const some = uuids.slice(start, start + aliasesMax);
        const outcome = await ask(eventsDocument(some.length), inputsOf(some));
        if ('fault' in outcome) return outcome;
        for (const [index, uuid] of some.entries()) {
          const rows = rowsOf(rowTypes.event, outcome.value, aliasOf(index));
          if (rows) found.push([uuid, inOrderOfStart(rows.rows)]);
          unreadable += rows?.unreadable ?? 0;
        }
      }
      const lost = uuids.length - found.length;
      const missing = [
        ...(lost > 0 ? [`the steps of ${lost} of ${uuids.length} executions`] : []),
        ...unreadableWords(unreadable, 'steps'),
      ];
      return { value: { data: found, missing } };
    },
  };
}

function aliasOf(index: number): string {
  return `events${index}`;
}

function inputsOf(uuids: readonly string[]): Readonly<Record<string, WorkflowExecutionEventsInput>> {
  return Object.fromEntries(uuids.map((uuid, index) => [aliasOf(index), { workflowExecutionUUID: uuid }]));
}

type EventsDocument = TypedDocumentNode<
  Readonly<Record<string, WorkflowExecutionEventsQuery['workflowExecutionEvents']>>,
  Readonly<Record<string, WorkflowExecutionEventsInput>>
>;

const documents = new Map<number, EventsDocument>();

/** Built once for each number of executions: what a document is known by, printed and learnt, is its tree. */
function eventsDocument(length: number): EventsDocument {
  const known = documents.get(length);
  if (known) return known;
  const definitions = WorkflowExecutionEventsDocument.definitions.map(
    (definition): DefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION ? multiplied(definition, length) : definition,
  );
  const document: EventsDocument = { kind: Kind.DOCUMENT, definitions };
  documents.set(length, document);
  return document;
}

/** The variable and the field of the one, under the same new name for each. */
function multiplied(operation: OperationDefinitionNode, length: number): OperationDefinitionNode {
  const copies = Array.from({ length }, (_, index) => {
    const name = { kind: Kind.NAME, value: aliasOf(index) } as const;
    return visit(operation, {
      Variable: (node) => ({ ...node, name }),
      Field: (node) => (node.name.value === 'workflowExecutionEvents' ? { ...node, alias: name } : undefined),
    });
  });
  return {
    ...operation,
    variableDefinitions: copies.flatMap(({ variableDefinitions }) => variableDefinitions ?? []),
    selectionSet: {
      ...operation.selectionSet,
      selections: copies.flatMap(({ selectionSet }) => selectionSet.selections),
    },
  };
}
