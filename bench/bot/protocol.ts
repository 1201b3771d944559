/** What the bench and the processes it compares say to each other. */

/** How a contender reaches the local Slack and, where it asks anything, the query service. */
export type Settings = {
  readonly slackApiUrl: string;
  readonly botToken: string;
  readonly transport: 'socket' | 'http';
  /** Of the one or the other. */
  readonly appToken: string;
  readonly signingSecret: string;
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** `none`: every command comes from a workspace that has never asked before. */
  readonly memory: 'kept' | 'none';
  /** Of the bot's own store. */
  readonly databaseUrl: string;
  /** What a bare Bolt app answers. */
  readonly answer: unknown;
};

/** What a contender has used since it was last asked. */
export type Usage = {
  /** Processor time of the whole process, collector and compiler included. */
  readonly cpuMs: number;
  /** From the line to the answer, for each command: without Slack on either side. */
  readonly answeredAfterMs: readonly number[];
  /** HTTP requests to the query service and to Slack. */
  readonly serviceTrips: number;
  readonly slackTrips: number;
};

export type Order = 'usage' | 'start profile' | 'end profile';

export type Said =
  /** With where it listens, if it does. */
  | { readonly kind: 'ready'; readonly origin: string | null }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'profiling' }
  /** Milliseconds of processor time by part of the program. */
  | { readonly kind: 'profile'; readonly parts: Readonly<Record<string, number>> };
