/** Prometheus metrics of the bot. Every label has few values: no workspace, person, workflow or text is one. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { createProcessMetrics } from '../shared/process-metrics.ts';
import type { Measure, Measurement } from './domain/measure.ts';

/** Seconds, from an answer in the acknowledgement to one that Slack does not wait for. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 8, 30];
/** Seconds, from a punctual digest to the latest that is still posted. */
const latenessBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 3600, 21600];

export function createMetrics() {
  const { registry, text, contentType } = createProcessMetrics();
  const instruments = createInstruments(registry);
  const measure: Measure = (measurement) => record(instruments, measurement);
  return { measure, text, contentType };
}

type Instruments = ReturnType<typeof createInstruments>;

function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    commands: new Histogram({
      name: 'workflow_bot_command_duration_seconds',
      help: 'From a command line, typed or pressed, to its answer.',
      labelNames: ['command', 'outcome'],
      buckets,
      registers,
    }),
    acknowledgements: new Histogram({
      name: 'workflow_bot_acknowledgement_duration_seconds',
      help: 'From a request of Slack’s to its acknowledgement; Slack gives up after 3 s.',
      buckets,
      registers,
    }),
    questions: new Histogram({
      name: 'workflow_bot_query_duration_seconds',
      help: 'One question to a query service, repeats included.',
      labelNames: ['question', 'outcome'],
      buckets,
      registers,
    }),
    lookups: new Counter({
      name: 'workflow_bot_lookups_total',
      help: 'Where answers came from: fresh from memory, asked, stale because the service failed, or none.',
      labelNames: ['source'],
      registers,
    }),
    slackCalls: new Counter({
      name: 'workflow_bot_slack_calls_total',
      help: 'Calls of Slack’s Web API, by method and outcome.',
      labelNames: ['method', 'outcome'],
      registers,
    }),
    digests: new Counter({
      name: 'workflow_bot_digests_total',
      help: 'Digests that were due, by how they ended: posted, quiet (nothing failed), missed, cancelled or dead (given up).',
      labelNames: ['outcome'],
      registers,
    }),
    digestLateness: new Histogram({
      name: 'workflow_bot_digest_lateness_seconds',
      help: 'From the moment a digest was due to its message in the channel.',
      buckets: latenessBuckets,
      registers,
    }),
  };
}

function record(instruments: Instruments, measurement: Measurement): void {
  switch (measurement.kind) {
    case 'command': {
      const { command, outcome, durationMs } = measurement;
      instruments.commands.observe({ command, outcome }, durationMs / 1000);
      break;
    }
    case 'acknowledgement':
      instruments.acknowledgements.observe(measurement.durationMs / 1000);
      break;
    case 'question': {
      const { question, outcome, durationMs } = measurement;
      instruments.questions.observe({ question, outcome }, durationMs / 1000);
      break;
    }
    case 'lookup':
      instruments.lookups.inc({ source: measurement.source });
      break;
    case 'slack_call':
      instruments.slackCalls.inc({ method: measurement.method, outcome: measurement.outcome });
      break;
    case 'digest':
      instruments.digests.inc({ outcome: measurement.outcome });
      if (measurement.latenessMs !== null) instruments.digestLateness.observe(measurement.latenessMs / 1000);
      break;
  }
}
