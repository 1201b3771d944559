/** What the bot tells about its own work: facts without a name or a text of anybody, for whoever counts them. */
import type { ErrorCode } from '../../shared/errors.ts';

export type Measurement =
  /** A command line, typed or pressed, and how it ended; a word that is no command is `unknown`. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly outcome: 'answered' | ErrorCode;
      readonly durationMs: number;
    }
  /** From Slack's request to our acknowledgement. */
  | { readonly kind: 'acknowledgement'; readonly durationMs: number }
  /** One question to the query service, repeats included. @see FaultKind for the outcomes that are none */
  | {
      readonly kind: 'question';
      readonly question: string;
      readonly outcome: string;
      readonly durationMs: number;
    }
  /** Where an answer came from: `fresh` memory, the service (`asked`), or memory because the service failed (`stale`). */
  | { readonly kind: 'lookup'; readonly source: 'fresh' | 'asked' | 'stale' | 'none' }
  /** One call of Slack's Web API or of a response_url, by method; outcome `ok`, or the class of what it refused. */
  | { readonly kind: 'slack_call'; readonly method: string; readonly outcome: string }
  /** One slot of a digest, and how it ended; the lateness is null where nothing was posted. */
  | {
      readonly kind: 'digest';
      readonly outcome: 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';
      readonly latenessMs: number | null;
    };

/** Never throws, never waits. */
export type Measure = (measurement: Measurement) => void;

export const measureNothing: Measure = () => undefined;
