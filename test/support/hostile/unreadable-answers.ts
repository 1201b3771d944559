/** The hostile answers of the section `upstream` that no digest can be read from: the worker and the real content, over real HTTP. */
import { expect } from 'vitest';
import { only } from '../bot/outbox.ts';
import { startScheduled } from '../bot/scheduled.ts';
import { answer, type Behaviour, flood, inTurn, resetMidBody } from '../service/hostile-http.ts';
import { worldKey } from '../service/world.ts';
import { type HostileCase, hostileCases } from './hostile.ts';

/** Requests of one query that fails, and queries of one digest. */
const [requestsOfOneQuery, queriesMax] = [3, 12];
/** Attempts to build a digest within 15 minutes of its due time, if it is retried every minute or every five minutes. */
export const [tries, fewTries] = [15, 3];
export const fiveMinutesMs = 5 * 60_000;
export const caseOf = (id: string) => only(hostileCases('upstream').filter((one) => one.id === id));

export function behaviourOf({ given }: HostileCase): Behaviour {
  const { status = 200, body = '', ctype = 'application/json', headers = {} } = given;
  return answer(Number(status), body, { 'content-type': String(ctype), ...(headers as Record<string, string>) });
}

const bomb = flood(6, false);
const dropped: Behaviour = (_request, response) => response.socket?.resetAndDestroy();
const echo: Behaviour = (request, response) =>
  answer(200, { data: null, errors: [{ message: `boom ${request.headers.authorization}` }] })(request, response);

/** Answers that the case does not contain. */
const special: Readonly<Record<string, Behaviour>> = {
  'error-msg-secret': echo,
  'reset-mid-body': resetMidBody,
  'connect-refused': dropped,
  // In as many requests as one query makes.
  'gzip-bomb': inTurn(bomb, bomb, bomb, dropped),
};

/** One of each kind: what the service refuses, redirects, leaves empty, cuts or answers with errors, and a limit. */
export const kindsOfAnswers = [
  ...['500', '301', '204', '200-truncated', 'data-null', 'errors-object', '429-ra-huge', ...Object.keys(special)],
];
export const otherAnswers = [
  ...['502', '503', '520', '503-ra', '307-other-host', '200-empty', '200-null', 'op-null', 'errors-empty'],
  '429-ra-garbage',
];

/** It is retried for 15 minutes, says once that it could not check, and never that nothing failed. */
export async function expectToldOnce(name: string): Promise<void> {
  const { posts, wait, ended, server, logs } = await startScheduled(
    special[name] ?? behaviourOf(caseOf(`upstream/${name}`)),
  );
  if (name === '500') await wait(tries);
  else await wait(fewTries, fiveMinutesMs);
  expect(posts).toEqual([]);
  await ended();
  const { text } = only(posts);
  expect(text).toMatch(/^:warning: Could not check for failures/);
  expect(text + logs()).not.toContain(worldKey);
  expect(text).not.toMatch(/<html|Bad gateway|boom|all clear|Nothing failed/i);
  expect(server.requests.length).toBeLessThanOrEqual(requestsOfOneQuery * queriesMax * (tries + 1));
}
