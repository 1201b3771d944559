/** Envelopes that Slack delivers to an app, and the outcome of each. */
import type { JsonRecord } from '../../shared/json.ts';

export type Retry = {
  readonly attempt: number;
  readonly reason: '' | 'timeout' | 'connection_failed' | 'http_error';
};

/** The outcome of a delivery. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged'; readonly payload: unknown; readonly afterMs: number }
  | { readonly kind: 'timed_out' }
  /** The app could not be reached. */
  | { readonly kind: 'undelivered' }
  /** The app replied with an error status; `isFinal` if it refuses retries. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export type Envelope = {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: JsonRecord;
  readonly acceptsResponsePayload: boolean;
  /** Events are delivered again until they are acknowledged; a first delivery has attempt 0 and no reason. */
  readonly retry?: Retry;
};
