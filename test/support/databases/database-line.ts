/** A connection to a PostgreSQL server that a test can close, slow down, or cut right after a commit. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export type DatabaseLine = {
  /** URL of the database through this line. */
  readonly url: string;
  /** Cuts all connections, and refuses new ones for this time. */
  readonly goDownFor: (ms: number) => Promise<void>;
  /** Delays every answer. */
  readonly delayBy: (ms: number) => void;
  /** Cuts the connection of each of the next `count` writes after its commit and before its confirmation. */
  readonly loseCommits: (count: number) => void;
  /** The number of confirmations lost this way. */
  readonly lost: () => number;
};

/** The end of an answer that rows were written, or a transaction committed, and that no transaction is open. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: so the server's messages are made
const keptWrite = /(COMMIT|(UPDATE|DELETE|INSERT 0) [1-9]\d*)\0Z\0{3}\x05I$/;

export async function databaseLine(url: string): Promise<DatabaseLine> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let [isDown, delayMs, left, lost] = [false, 0, 0, 0];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    if (isDown) return end();
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', async (chunk) => {
      if (left > 0 && keptWrite.test(chunk.toString('latin1'))) {
        left -= 1;
        lost += 1;
        return end();
      }
      if (delayMs > 0) await wait(delayMs);
      near.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href,
    goDownFor: async (ms) => {
      isDown = true;
      for (const socket of sockets) socket.destroy();
      await wait(ms);
      isDown = false;
    },
    delayBy: (ms) => {
      delayMs = ms;
    },
    loseCommits: (count) => {
      left = count;
    },
    lost: () => lost,
  };
}
