/** Messages between the benchmark and the processes it compares. */

/** How a contender reaches the local Slack and, if it uses one, the query service. */
export type Settings = {
  readonly slackApiUrl: string;
  readonly botToken: string;
  readonly transport: 'socket' | 'http';
  /** Of the one or the other. */
  readonly appToken: string;
  readonly signingSecret: string;
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** `none`: every command comes from a new workspace. */
  readonly memory: 'kept' | 'none';
  /** URL of the bot's store. */
  readonly databaseUrl: string;
  /** The blocks that a bare Bolt app sends. */
  readonly answer: unknown;
};

/** Resources of a contender since the last report. */
export type Usage = {
  /** Processor time of the whole process, with garbage collection and compilation. */
  readonly cpuMs: number;
  /** From the line to the answer, for each command, without Slack. */
  readonly answeredAfterMs: readonly number[];
  /** HTTP requests to the query service and to Slack. */
  readonly serviceTrips: number;
  readonly slackTrips: number;
};

export type Order = 'usage' | 'start profile' | 'end profile';

export type Said =
  /** With its address, if it listens. */
  | { readonly kind: 'ready'; readonly origin: string | null }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'profiling' }
  /** Milliseconds of processor time by component. */
  | { readonly kind: 'profile'; readonly parts: Readonly<Record<string, number>> };

/** Commands of a load generator. The lines are typed one after the other. */
export type LoadPattern = { readonly lines: readonly string[]; readonly commands: number } & (
  | { readonly atOnce: number }
  | { readonly perSecond: number }
);

export type Load = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that did not travel in the acknowledgement. */
  readonly late: number;
  /** The generator's own event-loop delay (99 %) and processor time per command. */
  readonly generatorDelayMs: number;
  readonly generatorCpuMs: number;
};

export type LoadSettings = { readonly signingSecret: string };

export type LoadOrder =
  /** Over HTTP, from now on. */
  { readonly kind: 'target'; readonly origin: string } | { readonly kind: 'load'; readonly pattern: LoadPattern };

export type LoadSaid =
  | { readonly kind: 'listening'; readonly slackApiUrl: string }
  | { readonly kind: 'load'; readonly load: Load };
