/** Records the messages and views that the bot sends during a test run, if the ignored folder `slack-corpus` exists. */
import { hash } from 'node:crypto';
import { appendFileSync, existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pid } from 'node:process';
import { parseJson } from '../../../src/shared/json.ts';
import { formatCorpus, payloadIn } from '../slack/slack-contract.ts';

const folder = 'slack-corpus';
const isRecording = existsSync(folder);
const known = new Set<string>();

/** Some clients of tests send what Slack has to refuse; the bot's calls name the SDK, and its responses have a type. */
function isOfBot({ headers }: IncomingMessage, path: string): boolean {
  if (!path.startsWith('/api/')) return headers['content-type'] === 'application/json';
  return /^\/api\/(?:chat|views)\./.test(path) && /@slack:web-api/.test(headers['user-agent'] ?? '');
}

/** @returns takes each piece of the body, and an empty piece at its end */
export function recordPayload(request: IncomingMessage, path: string): (bit: Uint8Array | string) => void {
  if (!isRecording || !isOfBot(request, path)) return () => undefined;
  const bits: Uint8Array[] = [];
  return (bit) => {
    if (bit.length > 0) bits.push(Buffer.from(bit));
    else write(path, Buffer.concat(bits).toString());
  };
}

function write(path: string, body: string): void {
  const fields = body.startsWith('{') ? parseJson(body) : Object.fromEntries(new URLSearchParams(body));
  const payload = payloadIn(fields);
  if (!payload) return;
  const key = hash('sha256', JSON.stringify(payload));
  if (known.has(key)) return;
  known.add(key);
  const call = path.startsWith('/api/') ? path.slice('/api/'.length) : 'response_url';
  appendFileSync(join(folder, `${pid}.jsonl`), formatCorpus([{ shown: call, payload }]));
}
