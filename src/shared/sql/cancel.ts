/** Asks a PostgreSQL server to stop what it does for one connection, by the word that its protocol has for it. */
import { connect } from 'node:net';
import type { PoolClient } from 'pg';

const cancelRequestCode = 80_877_102;
const answerTimeoutMs = 2_000;

/**
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS: on a connection of its own, and
 * never answered. It may come late, so the connection it was meant for is not to be used again.
 */
export function cancelStatement(client: PoolClient): void {
  const { processID, secretKey } = keyOf(client);
  if (processID === undefined || secretKey === undefined) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(cancelRequestCode, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  const { host, port } = client;
  const socket = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  socket.setTimeout(answerTimeoutMs, () => socket.destroy());
  // Whoever cannot be reached stops by itself when the statement's time is over.
  socket.on('error', () => {});
  socket.end(message);
}

/** What the server gave the connection when it began; pg keeps it, and says nothing of it in its types. */
function keyOf(client: PoolClient): { readonly processID?: number; readonly secretKey?: number } {
  const isKnown =
    'processID' in client &&
    'secretKey' in client &&
    typeof client.processID === 'number' &&
    typeof client.secretKey === 'number';
  return isKnown ? { processID: Number(client.processID), secretKey: Number(client.secretKey) } : {};
}
