/** Ports for programs of others, which need a fixed one; ours listen on 0 and print their address. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { env } from 'node:process';

/**
 * Below Linux's ephemeral ports, which a connection could take before the program does. Each worker has its own
 * range, from which no port is returned twice.
 */
const [firstPort, portsOfWorker] = [20_000, 400];
const { VITEST_POOL_ID: worker = '0' } = env;
const from = firstPort + (Number(worker) % 30) * portsOfWorker;
let given = process.pid % portsOfWorker;

/** @returns ports without a listener */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count && tries < portsOfWorker; tries += 1) {
    const port = from + (given++ % portsOfWorker);
    if (await isFree(port)) ports.push(port);
  }
  if (ports.length < count) throw new Error(`There are no ${count} free ports from ${from} on.`);
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
