/** Prometheus metrics of the query service. Labels have few values; none is chosen by a client. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { createProcessMetrics } from '../shared/process-metrics.ts';
import type { PoolUse } from '../shared/sql/postgres.ts';
import type { ServiceMeasurement } from './measurement.ts';
import type { ServerUse } from './records/postgres/standbys/standby.ts';

/** Seconds: from the read of one row by its key to longer than any client waits. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createServiceMetrics() {
  const { registry, text, contentType } = createProcessMetrics();
  const instruments = createInstruments(registry);
  return {
    measure: (measurement: ServiceMeasurement) => record(instruments, measurement),
    /** Reports the number of waiting reads at every scrape. */
    watchWaiting: (waiting: () => number) => watchWaiting(registry, waiting),
    /** Reports the use of the pool at every scrape. */
    watchPool: (use: () => PoolUse) => watchPool(registry, use),
    /** Reports the servers that answer reads, at every scrape. */
    watchServers: (use: () => readonly ServerUse[]) => watchServers(registry, use),
    text,
    contentType,
  };
}

type Instruments = ReturnType<typeof createInstruments>;

function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Histogram({
      name: 'workflow_service_request_duration_seconds',
      help: 'From the headers of a request to its answer.',
      labelNames: ['operation', 'outcome'],
      buckets,
      registers,
    }),
    reads: new Histogram({
      name: 'workflow_service_database_duration_seconds',
      help: 'One reading of the records, waiting for a connection included.',
      labelNames: ['read', 'outcome'],
      buckets,
      registers,
    }),
    databaseSeconds: new Counter({
      name: 'workflow_service_database_seconds_total',
      help: 'What keys were charged of the database’s time, without the wait for a connection or a thread.',
      registers,
    }),
    limited: new Counter({
      name: 'workflow_service_limited_requests_total',
      help: 'Requests that were refused for a limit of their key: of requests a second, of the database’s time, of requests at once.',
      labelNames: ['reason'],
      registers,
    }),
    connections: new Counter({
      name: 'workflow_service_connections_total',
      help: 'Connections that were cut because an answer was not taken, or evicted or refused because there are too many.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function watchWaiting(registry: Registry, waiting: () => number): void {
  new Gauge({
    name: 'workflow_service_waiting_reads',
    help: 'Reads that wait for their turn at a connection or a thread.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
}

function watchPool(registry: Registry, use: () => PoolUse): void {
  new Gauge({
    name: 'workflow_service_pool_connections',
    help: 'Connections to the database: all of them, those that are idle, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(use())) this.set({ state }, count);
    },
  });
}

function watchServers(registry: Registry, servers: () => readonly ServerUse[]): void {
  const registers = [registry];
  new Counter({
    name: 'workflow_service_server_reads_total',
    help: 'Reads by the server that was asked: answered, or repeated on the primary because a standby was behind or failed.',
    labelNames: ['server', 'outcome'],
    registers,
    collect() {
      this.reset();
      for (const { server, ...use } of servers()) {
        for (const outcome of ['answered', 'behind', 'failed'] as const) this.inc({ server, outcome }, use[outcome]);
      }
    },
  });
  new Gauge({
    name: 'workflow_service_standby_read',
    help: '1 for a standby that is read from, 0 for one that is not.',
    labelNames: ['server'],
    registers,
    collect() {
      for (const { server, isRead } of servers()) if (server !== 'primary') this.set({ server }, Number(isRead));
    },
  });
  new Gauge({
    name: 'workflow_service_standby_lag_seconds',
    help: 'Age of the oldest position of the primary that a standby has not replayed.',
    labelNames: ['server'],
    registers,
    collect() {
      for (const { server, lagMs } of servers()) if (lagMs !== null) this.set({ server }, lagMs / 1000);
    },
  });
}

function record(instruments: Instruments, measurement: ServiceMeasurement): void {
  switch (measurement.kind) {
    case 'request': {
      const { operation, outcome, durationMs } = measurement;
      instruments.requests.observe({ operation, outcome }, durationMs / 1000);
      break;
    }
    case 'read': {
      const { read, isDone, durationMs } = measurement;
      instruments.reads.observe({ read, outcome: isDone ? 'done' : 'failed' }, durationMs / 1000);
      break;
    }
    case 'charged':
      instruments.databaseSeconds.inc(measurement.durationMs / 1000);
      break;
    case 'limited':
      instruments.limited.inc({ reason: measurement.reason });
      break;
    case 'connection':
      instruments.connections.inc({ outcome: measurement.outcome });
      break;
  }
}
