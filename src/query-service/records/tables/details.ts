/**
 * Logs and events as they are stored: JSON text in the form of the contract, in the order of its fields, so that a
 * selection of all fields is passed through.
 */
import { printInstant } from '../../scalar-text.ts';
import type { EventRecord, LogRecord } from '../record.ts';

export type StoredLog = { readonly nodeID: string; readonly message: string; readonly timestamp: string };

export type StoredEvent = {
  readonly capabilityID: string;
  readonly status: string;
  readonly method: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly errors: EventRecord['errors'];
};

export function storedLogs(logs: readonly LogRecord[] | null): string | null {
  return logs && JSON.stringify(logs.map(storedLog));
}

export function storedEvents(events: readonly EventRecord[] | null): string | null {
  return events && JSON.stringify(events.map(storedEvent));
}

export function storedLog({ nodeId, message, timestamp }: LogRecord): StoredLog {
  return { nodeID: nodeId, message, timestamp: printInstant(timestamp) };
}

export function storedEvent({ capabilityId, status, method, startedAt, finishedAt, errors }: EventRecord): StoredEvent {
  return {
    capabilityID: capabilityId,
    status,
    method,
    startedAt: printInstant(startedAt),
    finishedAt: finishedAt === null ? null : printInstant(finishedAt),
    errors: errors?.map(({ error, count }) => ({ error, count })) ?? null,
  };
}

export function logRecord({ nodeID, message, timestamp }: StoredLog): LogRecord {
  return { nodeId: nodeID, message, timestamp: Date.parse(timestamp) };
}

export function eventRecord({ capabilityID, startedAt, finishedAt, ...rest }: StoredEvent): EventRecord {
  return {
    capabilityId: capabilityID,
    status: rest.status,
    method: rest.method,
    startedAt: Date.parse(startedAt),
    finishedAt: finishedAt === null ? null : Date.parse(finishedAt),
    errors: rest.errors,
  };
}
