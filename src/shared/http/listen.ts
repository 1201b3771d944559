/** Binds an HTTP server to its address. */
import type { Server } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { AppError } from '../errors.ts';

export type Address = {
  readonly host: string;
  /** 0 for any free port; or a server that listens, whose port is taken over. */
  readonly port: number | NetServer;
};

/**
 * @param who begins a sentence, such as `The bot`
 * @param hint the next step if the address is taken
 * @throws AppError `unavailable` if the address cannot be bound, for example because the port is in use
 */
export async function listen(server: Server, { host, port }: Address, who: string, hint: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(typeof port === 'number' ? { port, host, backlog: 4_096 } : port, resolve);
  try {
    await promise;
  } catch (cause) {
    const sentence = `${who} cannot listen on ${host} port ${typeof port === 'number' ? port : (port.address() as AddressInfo).port}: ${reasonOf(cause)}.`;
    throw new AppError('unavailable', sentence, { cause, hint });
  } finally {
    server.off('error', reject);
  }
}

function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') return 'another program is listening there already';
  if (code === 'EACCES') return 'this user may not use that port';
  return cause instanceof Error ? cause.message : String(cause);
}

/** @param server must be listening @returns its address without a path */
export function originOf(server: NetServer): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
