/** The examples in deploy/: their names, limits and settings fit the programs, and the balancer hides a replica that ends. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/bot/config.ts';
import { readServiceConfig } from '../../src/query-service/config.ts';
import { createKeys } from '../../src/query-service/keys/keys.ts';
import { describePostgres } from '../support/databases/engines.ts';
import { memoryFlags, memoryFlagsOf, programFlags } from '../support/programs/node-flags.ts';
import { freePorts } from '../support/programs/ports.ts';
import { harbor, putOrganizations } from '../support/service/service-records.ts';
import { openTestRecords } from '../support/service/transfer.ts';

const path = (name: string) => fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url));

type Resource = { readonly kind: string; readonly metadata: { readonly name: string }; readonly spec: Spec };
type Spec = {
  readonly replicas: number;
  readonly selector: { readonly matchLabels?: Labels } & Labels;
  readonly podSelector: { readonly matchLabels: Labels };
  readonly ports: readonly { readonly targetPort: string }[];
  readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
};
type Labels = { readonly app?: string };
type Pod = Readonly<Record<string, unknown>> & {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string }[];
};
type Container = Readonly<Record<string, unknown>> & {
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string }[];
};

/** @returns the resources of a file by kind @throws Error where it is no YAML, or names a member twice */
function resources(file: string): ReadonlyMap<string, Resource> {
  const documents = parseAllDocuments(readFileSync(path(`kubernetes/${file}`), 'utf8'), { uniqueKeys: true });
  const all = documents.map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
  return new Map(all.map((resource) => [resource.kind, resource]));
}

const files = readdirSync(path('kubernetes'));

const exampleSecret = 'secret-of-an-example';

/** @returns the environment of a container, with an example for each secret */
function environmentOf(container: Container): Readonly<Record<string, string>> {
  return Object.fromEntries(container.env.map(({ name, value }) => [name, value ?? exampleSecret]));
}

function containerOf(file: string): Container {
  const [container] = resources(file).get('Deployment')?.spec.template.spec.containers ?? [];
  if (container === undefined) throw new Error(`${file} has no container.`);
  return container;
}

describe.each(files)('kubernetes/%s', (file) => {
  const found = resources(file);
  const deployment = found.get('Deployment');
  const pod = deployment?.spec.template.spec;
  const labels = deployment?.spec.template.metadata.labels;

  it('selects its own pods, and names ports and volumes that exist', () => {
    expect(deployment?.spec.selector.matchLabels).toEqual(labels);
    expect(found.get('Service')?.spec.selector).toEqual(labels);
    expect(found.get('PodDisruptionBudget')?.spec.selector.matchLabels).toEqual(labels);
    const { ports, volumeMounts } = containerOf(file);
    for (const { targetPort } of found.get('Service')?.spec.ports ?? [])
      expect(ports.map(({ name }) => name)).toContain(targetPort);
    expect(volumeMounts.map(({ name }) => name).sort()).toEqual(pod?.volumes.map(({ name }) => name).sort());
  });

  it('runs two replicas without permissions, with limits, probes and time to stop', () => {
    expect(deployment?.spec.replicas).toBe(2);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      terminationGracePeriodSeconds: 20,
    });
    expect(containerOf(file)).toMatchObject({
      resources: { limits: { memory: '512Mi' } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      readinessProbe: { httpGet: { path: '/readyz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
    });
  });

  it('has every secret in a Secret', () => {
    const secrets = containerOf(file).env.filter(({ name }) => /(TOKEN|SECRET|PASSWORD)$/.test(name));
    expect(secrets.length).toBeGreaterThan(0);
    for (const { value, valueFrom } of secrets) expect([value, valueFrom]).toEqual([undefined, expect.anything()]);
  });
});

it('kubernetes/bot.yml has settings that the bot accepts', () => {
  expect(readConfig(environmentOf(containerOf('bot.yml')))).toMatchObject({ isValid: true });
});

it('kubernetes/service.yml has flags and settings that the service accepts, and limits its memory', () => {
  const container = containerOf('service.yml');
  const { args = [] } = container;
  const flags = args.slice(args.indexOf('src/bin/service.ts') + 1);
  const { PGPASSWORD, MALLOC_ARENA_MAX, ...own } = environmentOf(container);
  const result = readServiceConfig(flags, own);
  expect(result).toMatchObject({ config: { host: '0.0.0.0', port: 4000, metrics: { host: '0.0.0.0', port: 4001 } } });
  expect([PGPASSWORD, MALLOC_ARENA_MAX]).toEqual([exampleSecret, '1']);
  expect(memoryFlagsOf(args)).toEqual(memoryFlags);
});

const { CI: isCi, PATH: programs = '' } = env;
const hasBalancer = isCi === 'true' || spawnSync('haproxy', ['-v']).status === 0;

/** @returns a key of an organization in the database */
async function newKey(database: string): Promise<string> {
  const store = await openTestRecords(database);
  await putOrganizations(store.writer);
  const keys = await createKeys({ keys: store.keys, clock: Date.now });
  return (await keys.create({ ...harbor.account, name: 'balancer' })).text;
}

/** Starts a replica of the service. @returns it, once it listens, and its address as `host:port` */
async function startReplica(database: string) {
  const args = [...programFlags, path('../src/bin/service.ts'), '--port', '0', '--json'];
  const limits = { SERVICE_RATE_LIMIT: '0', SERVICE_DATABASE_BUDGET: '0', LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, args, {
    env: { SERVICE_DATABASE_URL: database, ...limits },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { child, address: new URL(JSON.parse(line).url).host };
}

function startBalancer(ports: { readonly botPort: number; readonly servicePort: number }, services: readonly string[]) {
  const [SERVICE_1 = '', SERVICE_2 = ''] = services;
  const balancer = spawn('haproxy', ['-f', path('haproxy.cfg')], {
    env: {
      ...{ BOT_BIND: `127.0.0.1:${ports.botPort}`, BOT_1: '127.0.0.1:1', BOT_2: '127.0.0.1:1' },
      ...{ SERVICE_BIND: `127.0.0.1:${ports.servicePort}`, PATH: programs, SERVICE_1, SERVICE_2 },
    },
  });
  onTestFinished(() => void balancer.kill('SIGKILL'));
}

/** @returns the address of a server, as `host:port` */
async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

it.runIf(hasBalancer)('the balancer repeats a read whose replica dies before the body has come', async () => {
  // Healthy until the first bytes of a request.
  const dying = createServer((socket) => {
    // The balancer resets its health checks.
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes) => {
      if (bytes.toString().startsWith('GET')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.resetAndDestroy();
    });
  });
  const living = createHttpServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('read'));
  });
  const [botPort = 0, servicePort = 0] = await freePorts(2);
  startBalancer({ botPort, servicePort }, [await listening(dying), await listening(living)]);
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${servicePort}/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  const read = async () => {
    const request = connect(servicePort, '127.0.0.1');
    const chunks = text(request).catch(() => 'reset');
    request.write('POST /graphql HTTP/1.1\r\nhost: service\r\nconnection: close\r\ncontent-length: 2\r\n\r\n');
    await once(request, 'connect');
    // Later than the balancer would need to pass on what it has.
    await setTimeout(100);
    request.write('{}');
    return (await chunks).split('\r\n')[0];
  };
  for (let count = 0; count < 6; count += 1) expect(await read()).toBe('HTTP/1.1 200 OK');
});

describePostgres('the balancer of deploy/haproxy.cfg', (newDatabase) => {
  it.runIf(hasBalancer)('answers every read while one replica of the service is killed', async () => {
    const database = await newDatabase();
    const [botPort = 0, servicePort = 0] = await freePorts(2);
    const apiKey = await newKey(database);
    const replica = await startReplica(database);
    const other = await startReplica(database);
    startBalancer({ botPort, servicePort }, [replica.address, other.address]);
    const read = async () => {
      const headers = { 'content-type': 'application/json', authorization: `Apikey ${apiKey}` };
      const body = '{"query":"{ workflows(input: {}) { count } }"}';
      const url = `http://127.0.0.1:${servicePort}/graphql`;
      return fetch(url, { method: 'POST', headers, body }).then(
        ({ status }) => status,
        () => 0,
      );
    };
    await expect.poll(read).toBe(200);
    const answers: number[] = [];
    const state = { isOver: false };
    const readers = Array.from({ length: 8 }, async () => {
      while (!state.isOver) answers.push(await read());
    });
    const further = (count: number, before = answers.length) =>
      expect.poll(() => answers.length).toBeGreaterThan(before + count);
    await further(50);
    replica.child.kill('SIGKILL');
    await further(300);
    state.isOver = true;
    await Promise.all(readers);
    expect(new Set(answers)).toEqual(new Set([200]));
    expect((await fetch(`http://127.0.0.1:${botPort}/metrics`)).status).toBe(404);
  });
});
