/** Attacks by strangers and clients on a service on the internet, with its replies byte for byte. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type Attacked = { readonly url: string; readonly apiKey: string };

export type Attack = {
  readonly name: string;
  /** Matches the reply of a service whose database works. */
  readonly refusal: RegExp;
  /** @returns the reply, and a function that ends an attack that continues */
  readonly run: (service: Attacked) => Promise<{ readonly said: string; readonly end?: () => void }>;
};

const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const search = 'query ($s: String) { workflows(input: { search: $s }) { count } }';

/** @returns the status, headers and body of the reply */
export async function say({ url, apiKey }: Attacked, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Apikey ${apiKey}` };
  const response = await fetch(url, { method: 'POST', headers, body });
  return [response.status, JSON.stringify([...response.headers]), await response.text()].join('\n');
}

const asking = (query: string, variables: object = {}) => ({
  run: async (service: Attacked) => ({ said: await say(service, JSON.stringify({ query, variables })) }),
});

async function open({ url }: Attacked): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Keeps connections open until the attack ends. */
async function hold(service: Attacked, count: number, text: string) {
  const sockets = await Promise.all(Array.from({ length: count }, () => open(service)));
  for (const socket of sockets) socket.write(text);
  const end = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { said: '', end };
}

const head = ({ apiKey }: Attacked, ...headers: readonly string[]) =>
  ['POST /graphql HTTP/1.1', 'host: x', `authorization: Apikey ${apiKey}`, ...headers, '', ''].join('\r\n');

const megabyte = Buffer.alloc(1024 * 1024, ' ');
const megabytes = 100;

/** @param announced whether the request has a Content-Length */
async function sendLong(service: Attacked, announced: boolean) {
  const socket = await open(service);
  // Not `once` of node:events: it rejects if the service resets the connection, which it may after its reply.
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let said = '';
  socket.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  const length = announced ? `content-length: ${megabytes * megabyte.length}` : 'transfer-encoding: chunked';
  socket.write(head(service, 'content-type: application/json', 'connection: close', length));
  const chunk = announced ? megabyte : Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
  for (let sent = 0; sent < megabytes && socket.writable; sent += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.write(chunk, () => resolve());
    await promise;
  }
  socket.end(announced ? '' : '0\r\n\r\n');
  await closed;
  return { said };
}

export const attacks: readonly Attack[] = [
  {
    name: 'nesting of 10,000',
    refusal: /more than 40 open brackets/,
    ...asking(`${'{ a '.repeat(10_000)} ${'}'.repeat(10_000)}`),
  },
  {
    name: '10,000 aliases',
    refusal: /more than 2000 tokens/,
    ...asking(`{ ${repeat(10_000, (n) => `a${n}: __typename`)} }`),
  },
  { name: 'a body of 100 MB that says so', refusal: /^HTTP\/1.1 413 /, run: (service) => sendLong(service, true) },
  {
    name: 'a body of 100 MB that does not say so',
    refusal: /^HTTP\/1.1 413 /,
    run: (service) => sendLong(service, false),
  },
  {
    name: 'a body that is not UTF-8',
    refusal: /^400\n.*The body is not valid JSON in UTF-8/s,
    run: async (service) => ({ said: await say(service, Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d])) }),
  },
  { name: 'NUL in a variable', refusal: /BAD_USER_INPUT/, ...asking(search, { s: 'a\0b' }) },
  { name: 'half a surrogate pair in a variable', refusal: /BAD_USER_INPUT/, ...asking(search, { s: 'a\ud800' }) },
  {
    name: 'NUL in a document',
    refusal: /BAD_USER_INPUT/,
    ...asking('{ workflows(input: { search: "\\u0000" }) { count } }'),
  },
  {
    name: 'NUL where a document should be',
    refusal: /^400\n.*BAD_USER_INPUT/s,
    run: async (service) => ({ said: await say(service, '\0\0\0\0') }),
  },
  {
    name: 'NUL in a header',
    refusal: /^HTTP\/1.1 400 /,
    run: async (service) => {
      const socket = await open(service);
      socket.write(head(service, 'x-request-id: a\0b'));
      return { said: Buffer.concat(await socket.toArray()).toString() };
    },
  },
  {
    name: '100 that never end their headers',
    refusal: /^$/,
    run: (service) => hold(service, 100, 'POST /graphql HTTP/1.1\r\nhost: x\r\nx: '),
  },
  { name: '1,000 idle connections', refusal: /^$/, run: (service) => hold(service, 1_000, '') },
  {
    name: '100 that are reset',
    refusal: /^$/,
    run: async (service) => {
      const { said, end } = await hold(
        service,
        100,
        head(service, 'content-type: application/json', 'content-length: 9'),
      );
      end();
      return { said };
    },
  },
];
