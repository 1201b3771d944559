/** One request from its arrival to the line about it in the log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, withFields } from '../../shared/log/logger.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { createDoor } from './door.ts';
import { holdsLongList, jsonPieces } from './json-pieces.ts';
import { outcomeOf, type Said, writeSaid } from './reply.ts';
import { requestIdOf } from './request-id.ts';

export type ServingDeps = {
  readonly door: ReturnType<typeof createDoor>;
  readonly measure: ServiceMeasure;
  readonly log: Logger;
};

/** @returns answers one request; never rejects */
export function createServing({ door, measure, log }: ServingDeps) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    try {
      const said = await door(request, response, logFor(log, requestId, response));
      const pieces = said === null ? [] : await piecesOf(said);
      const isGone = said === null || response.closed;
      if (!isGone) writeSaid(response, said, pieces, requestId);
      if (said?.operation === 'probe') return;
      const facts = { ...factsOf(said, isGone), durationMs: roundedMs(performance.now() - startedAt) };
      measure({ kind: 'request', ...facts });
      if (said?.limit) measure({ kind: 'limited', reason: said.limit });
      const whose = said?.organizationId === undefined ? {} : { organizationId: said.organizationId };
      log.info({ requestId, ...whose, ...(isGone ? {} : { status: said.status }), ...facts }, 'request');
    } catch (error) {
      log.error({ requestId, err: error }, 'an answer could not be written');
      response.destroy();
    }
  };
}

function piecesOf({ body }: Said): readonly Buffer[] | Promise<readonly Buffer[]> {
  return holdsLongList(body) ? jsonPieces(body) : [Buffer.from(JSON.stringify(body))];
}

/** To the microsecond: more is noise that somebody would have to read. */
function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What fails because its client has left, and it was stopped, is no fault. */
function logFor(log: Logger, requestId: string, response: ServerResponse): Logger {
  const own = withFields(log, { requestId });
  return { ...own, error: (fields, message) => (response.closed ? own.debug : own.error)(fields, message) };
}

function factsOf(said: Said | null, isGone: boolean) {
  return { operation: said?.operation ?? 'none', outcome: said === null || isGone ? 'gone' : outcomeOf(said) };
}
