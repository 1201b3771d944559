/** What the bot called, kept for tests that ask which token went where. */
import type { Fields } from './json.ts';

export type RecordedRequest = {
  /** A method of the Web API, or `response_url`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly fields: Fields;
  /** Epoch milliseconds by the local Slack's clock. */
  readonly at: number;
};

const requestsMax = 1000;

/** Adds and forgets the oldest, in place: the list is handed out once and stays current. */
export function recordRequest(requests: RecordedRequest[], request: RecordedRequest): void {
  requests.push(request);
  if (requests.length > requestsMax) requests.shift();
}
