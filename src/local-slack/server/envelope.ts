/** Envelopes: what Slack delivers to an app, and what becomes of each. */
import type { Fields } from './json.ts';

export type Retry = {
  readonly attempt: number;
  readonly reason: '' | 'timeout' | 'connection_failed' | 'http_error';
};

/** What became of an envelope. */
export type Acknowledgement =
  | { readonly kind: 'acknowledged'; readonly payload: unknown; readonly afterMs: number }
  | { readonly kind: 'timed_out' }
  /** The app could not be reached. */
  | { readonly kind: 'undelivered' }
  /** It answered with another status than success; `isFinal` where it wants no repeat. */
  | { readonly kind: 'refused'; readonly status: number; readonly isFinal: boolean };

export type Envelope = {
  readonly type: 'slash_commands' | 'interactive' | 'events_api';
  readonly payload: Fields;
  readonly acceptsResponsePayload: boolean;
  /** Events are delivered again until they are acknowledged; a first delivery has attempt 0 and no reason. */
  readonly retry?: Retry;
};
