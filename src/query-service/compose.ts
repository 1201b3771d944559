/** Starts the query service with its monitoring: health and metrics on a separate address, if one is set. */

import type { Address } from '../shared/http/listen.ts';
import { monitoringRoutes } from '../shared/http/operations.ts';
import { createHttpServer, type HttpServer } from '../shared/http/server.ts';
import type { Logger } from '../shared/log/logger.ts';
import type { ServiceConfig } from './config.ts';
import { prepare } from './graphql/prepare-document.ts';
import { serviceSchema } from './graphql/schema.ts';
import { createServiceMetrics } from './metrics.ts';
import type { ServerUse } from './records/postgres/standbys/standby.ts';
import { type Service, startService } from './service.ts';

/** @throws AppError for a database or an address that cannot be used */
export async function startOperatedService(config: ServiceConfig, log: Logger): Promise<Service> {
  warmUp();
  // On PostgreSQL the key lookup is one of the two statements of a request. On SQLite a lookup is as fast as the cache.
  const options = { ...config, log, cachesKeys: !config.databaseUrl.startsWith('sqlite:') };
  if (config.metrics === undefined) return startService(options);
  const metrics = createServiceMetrics();
  const service = await startService({ ...options, measure: metrics.measure });
  if (service.poolUse) metrics.watchPool(service.poolUse);
  metrics.watchWaiting(service.waiting);
  if (service.serverUse) metrics.watchServers(service.serverUse);
  const state = { isStopping: false };
  const problems = async () => {
    if (state.isStopping) return ['going down'];
    const problem = await service.problem();
    return problem === undefined ? [] : [`database: ${problem}`];
  };
  const notes = async () => standbyNotes(service.serverUse?.() ?? []);
  try {
    const monitoring = await startMonitoring(
      config.metrics,
      { problems, notes, metrics, hostNames: config.metrics.hostNames },
      log,
    );
    const close = async () => {
      state.isStopping = true;
      await service.close();
      await monitoring.stop();
    };
    return { ...service, close };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** A standby that is not read from does not change readiness: the primary answers. */
function standbyNotes(servers: readonly ServerUse[]): readonly string[] {
  return servers.filter(({ isRead }) => !isRead).map(({ server }) => `standby ${server}: not read from`);
}

type Monitored = Parameters<typeof monitoringRoutes>[0];

/** Its server stops after the service, so that the last measurements can be scraped. */
async function startMonitoring(address: Address, monitored: Monitored, log: Logger): Promise<HttpServer> {
  const monitoring = createHttpServer({
    ...address,
    routes: monitoringRoutes(monitored),
    onError: (error) => log.error({ err: error }, 'http request could not be answered'),
    onConnectionLimit: () => log.warn({}, 'too many connections for metrics: those that waited longest were closed'),
    who: 'The service',
    hint: 'Set SERVICE_METRICS_HOST and SERVICE_METRICS_PORT to an address that is free.',
  });
  await monitoring.start();
  log.info({ origin: monitoring.origin() }, 'metrics are listening');
  return monitoring;
}

/** More rounds make the first unknown documents of a flood little faster, but the start slower. */
const rounds = 4;

const executionFields = 'uuid id workflowName status startedAt finishedAt creditUsed errors { error count }';
const executions = (index: number) =>
  `a${index}: workflowExecutions(input: { search: "a", orderBy: { field: ID, order: ASC }, page: { size: 9 } }) {
    count data { ${executionFields} }
  }`;
const heavyDocument = `{ ${Array.from({ length: 15 }, (_, index) => executions(index)).join('\n')} }`;

/**
 * Without it the code of validation is compiled while the first unknown documents wait, which holds the event loop, and
 * with it the health check, three times as long.
 */
function warmUp(): void {
  const schema = serviceSchema();
  for (let round = 0; round < rounds; round += 1) prepare(schema, heavyDocument);
}
