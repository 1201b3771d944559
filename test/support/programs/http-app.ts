/** A test app behind a request URL: records requests, checks each signature, and answers as instructed. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';

export type Posted = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The fields of a form, of JSON, or of the payload of an interaction. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether the signature matches the secret and the body. */
  readonly isSigned: boolean;
};

export type Answered = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

const signingSecret = 'a-signing-secret-of-the-tests';

/** @param answer to everything but the handshake; `hang` never comes */
export async function httpApp(answer: (posted: Posted) => Answered | 'hang' = () => ({})) {
  const received: Posted[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const posted = read(request.headers, Buffer.concat(chunks).toString());
    if (posted.fields['type'] === 'url_verification') {
      response.end(JSON.stringify({ challenge: posted.fields['challenge'] }));
      return;
    }
    received.push(posted);
    const answered = answer(posted);
    if (answered === 'hang') return;
    response.writeHead(answered.status ?? 200, answered.headers);
    response.end(typeof answered.body === 'object' ? JSON.stringify(answered.body) : answered.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { app: { requestUrl: `http://127.0.0.1:${port}/slack/events`, signingSecret }, received, server };
}

function read(headers: IncomingHttpHeaders, body: string): Posted {
  const at = headers['x-slack-request-timestamp'];
  const digest = createHmac('sha256', signingSecret).update(`v0:${at}:${body}`).digest('hex');
  const form = Object.fromEntries(new URLSearchParams(body));
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  const fields = isForm ? (form['payload'] ? JSON.parse(form['payload']) : form) : JSON.parse(body);
  return { headers, body, fields, isSigned: headers['x-slack-signature'] === `v0=${digest}` };
}
