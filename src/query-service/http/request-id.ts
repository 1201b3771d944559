/** The id by which one request is found in the log: the caller's own where it is fit to be written there, else a new one. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What proxies and tracing send: a uuid, a number, a path of them. Nothing that a terminal or a browser would act upon. */
const fit = /^[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,63}$/;

export const requestIdHeader = 'x-request-id';

/** @returns what the answer carries, too */
export function requestIdOf({ headersDistinct }: IncomingMessage): string {
  const [given = '', ...others] = headersDistinct[requestIdHeader] ?? [];
  return others.length === 0 && fit.test(given) ? given : randomUUID();
}
