/** HTTP routes for the app: the Web API and response_url, with the faults that a test injects. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type JsonRecord, parseJson, readRecord, readText } from '../../shared/json.ts';
import { findByToken } from '../state/workspace.ts';
import { callMethod } from '../web-api/methods.ts';
import type { Fault } from './faults.ts';
import { type Answered, type HttpAnswer, jsonAnswer, parseFields, readBody } from './http.ts';
import type { LocalSlack } from './local-slack.ts';

const bodyBytesMax = 1_048_576;

/** `POST /api/<method>`, in any of the three encodings. */
export async function serveApi(request: IncomingMessage, name: string, slack: LocalSlack): Promise<Answered> {
  const body = await readBody(request, bodyBytesMax);
  const fields = await parseFields(body, request.headers['content-type'] ?? '');
  recordCall(request, name, fields ?? {}, slack);
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer ?? (fields && readText(fields, 'token'));
  const workspace = token === undefined ? undefined : findByToken(slack.workspaces.all, token);
  const fault = slack.faults.take(name, fields) ?? slack.historyLimit.take(name, workspace?.teamId ?? '');
  return withFault(fault, () => {
    if (!fields) return jsonAnswer({ ok: false, error: 'invalid_json' });
    const granted = workspace?.scopes;
    const reply = callMethod(name, { ...slack, fields, token, visibleAfter: fault?.visibleAfter?.() });
    return jsonAnswer(reply, granted ? { 'x-oauth-scopes': granted.join(',') } : {});
  });
}

/** `POST /commands/…`, `POST /actions/…` and `POST /app/…`: the paths of response_url. */
export async function serveResponseUrl(request: IncomingMessage, path: string, slack: LocalSlack): Promise<Answered> {
  const body = await readBody(request, bodyBytesMax);
  const fields = readRecord(parseJson(body.toString('utf8')));
  recordCall(request, 'response_url', fields, slack);
  return withFault(slack.faults.take('response_url', fields), () => slack.responseUrls.answer(path, body));
}

/** Applies the fault, or carries out the call. */
export async function withFault(fault: Fault | undefined, carryOut: () => HttpAnswer): Promise<Answered> {
  if (!fault) return carryOut();
  const real = fault.isCarriedOut ? carryOut() : undefined;
  if (fault.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
  await fault.answeredAfter?.();
  return (fault.answer === 'real' ? real : fault.answer) ?? 'drop';
}

const requestsMax = 1000;

/** Records a call for tests and drops the oldest, in place: callers hold the same list. */
export function recordCall({ headers }: IncomingMessage, name: string, fields: JsonRecord, slack: LocalSlack): void {
  slack.requests.push({ name, headers, fields, at: slack.clock() });
  if (slack.requests.length > requestsMax) slack.requests.shift();
}
