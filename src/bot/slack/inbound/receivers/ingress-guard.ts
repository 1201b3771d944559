/** Guards HTTP ingress: accepts only requests that Slack signed and whose body is an object. */
import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { isRecord, type JsonRecord } from '../../json-record.ts';
import { createSignatureCheck, type SignatureDeps } from './signature.ts';

export type Ingress =
  /** `reason` is for our log alone. */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 415; readonly reason: string }
  /** A question of Slack's about this address, which no listener hears of. */
  | { readonly kind: 'answered'; readonly payload?: JsonRecord }
  | { readonly kind: 'received'; readonly body: JsonRecord; readonly signature: string };

/** Never throws. @param bytes the whole body */
export type IngressGuard = (headers: IncomingHttpHeaders, bytes: Buffer) => Ingress;

export function createIngressGuard(deps: SignatureDeps): IngressGuard {
  const check = createSignatureCheck(deps);
  return (headers, bytes) => {
    const type = contentType(headers);
    if (!type) return { kind: 'refused', status: 415, reason: 'content type' };
    const text = bytes.toString();
    // Not signed, as documented: so whatever else stands beside it is not looked at.
    if (type === 'form' && isSslCheck(text)) return { kind: 'answered' };
    const signature = headers['x-slack-signature'];
    const fault = check(signature, headers['x-slack-request-timestamp'], bytes);
    if (fault) return { kind: 'refused', status: 401, reason: fault };
    const body = read(type, text);
    if (!body) return { kind: 'refused', status: 400, reason: 'no object' };
    const { type: kind, challenge } = body;
    if (kind === 'url_verification') return { kind: 'answered', payload: { challenge } };
    return { kind: 'received', body, signature: String(signature) };
  };
}

type BodyType = 'form' | 'json';

const bodyTypes: ReadonlyMap<string, BodyType> = new Map([
  ['application/x-www-form-urlencoded', 'form'],
  ['application/json', 'json'],
]);

/** Parameters such as a charset change nothing: Slack speaks UTF-8. */
function contentType(headers: IncomingHttpHeaders): BodyType | undefined {
  const [name = ''] = (headers['content-type'] ?? '').split(';', 1);
  return bodyTypes.get(name.trim().toLowerCase());
}

/** https://docs.slack.dev/interactivity/implementing-slash-commands: whether this address speaks TLS. */
function isSslCheck(text: string): boolean {
  return text.includes('ssl_check=1') && parseForm(text)['ssl_check'] === '1';
}

/** Interactions come as JSON in the one field of a form. */
function read(type: BodyType, text: string): JsonRecord | undefined {
  if (type === 'json') return parseObject(text);
  const form = parseForm(text);
  const { payload } = form;
  if (payload === undefined) return form;
  return typeof payload === 'string' ? parseObject(payload) : undefined;
}

function parseObject(text: string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
