/** Measurements of the bot's own work, for metrics. They contain no names and no texts. */
import type { ErrorCode } from '../../shared/errors.ts';

export type Measurement =
  /** A command line, typed or pressed, and its outcome; an unknown word is `unknown`. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly outcome: 'answered' | ErrorCode;
      readonly durationMs: number;
    }
  /** From Slack's request to our acknowledgement. */
  | { readonly kind: 'acknowledgement'; readonly durationMs: number }
  /** One query to the service, including retries. @see FaultKind for failed outcomes */
  | {
      readonly kind: 'question';
      readonly question: string;
      readonly outcome: string;
      readonly durationMs: number;
    }
  /** Source of an answer: `fresh` cache, the service (`asked`), or the cache because the service failed (`stale`). */
  | { readonly kind: 'lookup'; readonly source: 'fresh' | 'asked' | 'stale' | 'none' }
  /** One call of Slack's Web API or of a response_url, by method; outcome `ok` or the error class. */
  | { readonly kind: 'slack_call'; readonly method: string; readonly outcome: string }
  /** One occurrence of a digest and its final state; the lateness is null if nothing was posted. */
  | {
      readonly kind: 'digest';
      readonly outcome: 'posted' | 'quiet' | 'missed' | 'cancelled' | 'dead';
      readonly latenessMs: number | null;
    };

/** Never throws, never waits. */
export type Measure = (measurement: Measurement) => void;

export const measureNothing: Measure = () => undefined;
