/** HTTP routes for the app: the Web API and response_url, with the faults that a test injects. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isRecord, type JsonRecord, parseJson, readText } from '../../shared/json.ts';
import type { InteractionDeps } from '../interactions/invoke.ts';
import type { OAuth } from '../oauth/oauth.ts';
import { findByToken } from '../state/workspace.ts';
import { callMethod } from '../web-api/methods.ts';
import type { Fault, Faults } from './faults.ts';
import { type HttpAnswer, jsonAnswer, parseFields, readBody, send, textAnswer } from './http.ts';

export type ApiDeps = InteractionDeps & {
  readonly appToken: string;
  readonly faults: Faults;
  readonly requests: RecordedRequest[];
  readonly socketUrl: () => string;
  readonly oauth: OAuth;
};

const bodyBytesMax = 1_048_576;

/** `POST /api/<method>`, in any of the three encodings. */
export async function serveApi(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  deps: ApiDeps,
): Promise<void> {
  const name = path.slice('/api/'.length);
  const body = await readBody(request, bodyBytesMax);
  if (!body) return refuseLargeBody(response);
  const fields = await parseFields(body, request.headers['content-type'] ?? '');
  recordCall(request, name, fields ?? {}, deps);
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const token = bearer ?? (fields && readText(fields, 'token'));
  const workspace = token === undefined ? undefined : findByToken(deps.workspaces.all, token);
  const historyLimit = deps.switches.historyLimit();
  const limited = () => historyLimit?.take(name, workspace?.teamId ?? '');
  const fault = deps.faults.take(name, fields) ?? limited();
  await withFault(fault, response, () => {
    if (!fields) return jsonAnswer({ ok: false, error: 'invalid_json' });
    const granted = workspace?.scopes;
    const reply = callMethod(
      name,
      { ...fields, ...basicCredentials(request) },
      { token, appToken: deps.appToken },
      {
        ...deps,
        ...{ appId: deps.app.id, hasHome: deps.app.hasHome, baseUrl: deps.baseUrl() },
        visibleAfter: fault?.visibleAfter?.(),
        historyPageMax: historyLimit?.pageMax,
      },
    );
    return jsonAnswer(reply, granted ? { 'x-oauth-scopes': granted.join(',') } : {});
  });
}

/** OAuth allows client credentials in a Basic header instead of the body. */
function basicCredentials({ headers }: IncomingMessage): JsonRecord {
  const encoded = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return {};
  const [id, ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: id, client_secret: secret.join(':') };
}

/** `POST /commands/…`, `POST /actions/…` and `POST /app/…`: the paths of response_url. */
export async function serveResponseUrl(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  deps: ApiDeps,
): Promise<void> {
  const body = await readBody(request, bodyBytesMax);
  if (!body) return refuseLargeBody(response);
  const sent = parseJson(body.toString('utf8'));
  const fields = isRecord(sent) ? sent : {};
  recordCall(request, 'response_url', fields, deps);
  await withFault(deps.faults.take('response_url', fields), response, () => deps.responseUrls.answer(path, body));
}

/** Applies the fault, or carries out the call. */
export async function withFault(
  fault: Fault | undefined,
  response: ServerResponse,
  carryOut: () => HttpAnswer,
): Promise<void> {
  if (!fault) return send(response, carryOut());
  const real = fault.isCarriedOut ? carryOut() : undefined;
  if (fault.delayMs !== undefined) await wait(fault.delayMs, undefined, { ref: false });
  await fault.answeredAfter?.();
  if (fault.answer === 'drop') response.destroy();
  else if (fault.answer === 'reset') response.socket?.resetAndDestroy();
  else if (fault.answer !== 'real') send(response, fault.answer);
  else if (real) send(response, real);
}

/** Records a call for tests. */
export function recordCall(request: IncomingMessage, name: string, fields: JsonRecord, deps: ApiDeps): void {
  recordRequest(deps.requests, { name, headers: request.headers, fields, at: deps.clock() });
}

/** Closes the connection, so that the rest of the body is not read. */
export function refuseLargeBody(response: ServerResponse): void {
  const answer = textAnswer(413, 'request_too_large');
  send(response, { ...answer, headers: { ...answer.headers, connection: 'close' } });
}

export type RecordedRequest = {
  /** A method of the Web API, or `response_url`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly fields: JsonRecord;
  /** Epoch milliseconds by the local Slack's clock. */
  readonly at: number;
};

const requestsMax = 1000;

/** Adds a request and drops the oldest, in place: callers hold the same list. */
function recordRequest(requests: RecordedRequest[], request: RecordedRequest): void {
  requests.push(request);
  if (requests.length > requestsMax) requests.shift();
}
