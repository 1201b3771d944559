/** Reads frames of the socket, before any code relies on their shape. */
import { readRecord, readText } from '../../json-record.ts';

export type Frame =
  | { readonly type: 'disconnect'; readonly reason: string }
  /** @property appId whose connection it is */
  | { readonly type: 'hello'; readonly appId: string | undefined }
  | { readonly type: 'slash_commands' | 'interactive' | 'events_api' };

/** Names the SDK uses for itself on the emitter on which it also emits an event's type. */
const reservedEventTypes = new Set([
  'authenticated',
  'close',
  'connected',
  'connecting',
  'disconnected',
  'disconnecting',
  'error',
  'outgoing_message',
  'reconnecting',
  'slack_event',
  'ws_message',
]);

/** @param data one message of the socket @returns undefined for anything the SDK would stumble over */
export function readFrame(data: unknown): Frame | undefined {
  const frame = readRecord(parse(data));
  const payload = readRecord(frame['payload']);
  switch (frame['type']) {
    case 'disconnect':
      return { type: 'disconnect', reason: readText(frame, 'reason') ?? 'no reason given' };
    case 'hello':
      return { type: 'hello', appId: readText(readRecord(frame['connection_info']), 'app_id') };
    case 'slash_commands':
    case 'interactive':
      return frame['payload'] === payload ? { type: frame['type'] } : undefined;
    case 'events_api': {
      const type = readText(readRecord(payload['event']), 'type');
      return type !== undefined && !reservedEventTypes.has(type) ? { type: 'events_api' } : undefined;
    }
    default:
      return undefined;
  }
}

function parse(data: unknown): unknown {
  if (typeof data !== 'string') return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
