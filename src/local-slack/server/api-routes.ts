/** HTTP routes for the app: the Web API and response_url, with the faults of a test. */
import type { IncomingMessage } from 'node:http';
import { parseJson, readRecord, readText } from '../../shared/json.ts';
import { findByToken } from '../state/workspace.ts';
import { callMethod } from '../web-api/methods.ts';
import { type Answered, type HttpAnswer, jsonAnswer, parseFields, readBody } from './http.ts';
import type { Fault, LocalSlack } from './local-slack.ts';

const bodyBytesMax = 1_048_576;

/** `POST /api/<method>`, in any of the three encodings. */
export async function serveApi(request: IncomingMessage, name: string, slack: LocalSlack): Promise<Answered> {
  const body = await readBody(request, bodyBytesMax);
  const fields = await parseFields(body, request.headers['content-type'] ?? '');
  const fault = slack.intercept({ name, headers: request.headers, fields: fields ?? {} });
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer ?? (fields && readText(fields, 'token'));
  const workspace = token === undefined ? undefined : findByToken(slack.workspaces.all, token);
  return withFault(fault, () => {
    if (!fields) return jsonAnswer({ ok: false, error: 'invalid_json' });
    const granted = workspace?.scopes;
    const call = { fields: fault?.fields ?? fields, token, visibleAfter: fault?.visibleAfter?.() };
    const reply = callMethod(name, { ...slack, ...call });
    return jsonAnswer(reply, granted ? { 'x-oauth-scopes': granted.join(',') } : {});
  });
}

/** `POST /commands/…`, `POST /actions/…` and `POST /app/…`: the paths of response_url. */
export async function serveResponseUrl(request: IncomingMessage, path: string, slack: LocalSlack): Promise<Answered> {
  const body = await readBody(request, bodyBytesMax);
  const fields = readRecord(parseJson(body.toString('utf8')));
  const fault = slack.intercept({ name: 'response_url', headers: request.headers, fields });
  return withFault(fault, () => slack.responseUrls.answer(path, body));
}

/** Applies the fault, or carries out the call. */
export async function withFault(fault: Fault | undefined, carryOut: () => HttpAnswer): Promise<Answered> {
  if (!fault) return carryOut();
  const real = fault.isCarriedOut ? carryOut() : undefined;
  await fault.answeredAfter?.();
  return (fault.answer === 'real' ? real : fault.answer) ?? 'drop';
}
