/** The parts of a running local Slack by name: every route, method and interaction takes them. */
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonRecord } from '../../shared/json.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { AppEvents } from '../interactions/app-events.ts';
import type { OAuth } from '../oauth/oauth.ts';
import type { PageCommand } from '../page/protocol.ts';
import type { OfferedOptions } from '../state/offered-options.ts';
import type { Triggers } from '../state/triggers.ts';
import type { AppIdentity, Workspaces } from '../state/workspace.ts';
import type { Delivery } from './delivery.ts';
import type { Answered } from './http.ts';
import type { PageFiles } from './page/assets.ts';
import type { ResponseUrls } from './response-url.ts';

export type LocalSlack = {
  /** Its own address, without a slash at the end. */
  readonly baseUrl: string;
  /** Value for `SLACK_API_URL`; ends with a slash. */
  readonly apiUrl: string;
  readonly app: AppIdentity;
  readonly workspaces: Workspaces;
  readonly oauth: OAuth;
  readonly delivery: Delivery;
  readonly appEvents: AppEvents;
  readonly responseUrls: ResponseUrls;
  readonly offeredOptions: OfferedOptions;
  readonly triggers: Triggers;
  /** Sees each call of the app, and makes it fail or changes it; a test has one. */
  readonly intercept: (call: AppCall) => Fault | undefined;
  /** By person, the browser window in which they acted last. */
  readonly windows: Map<string, string>;
  readonly pageFiles: PageFiles;
  /** The app's commands, which an empty channel offers. */
  readonly commands: readonly PageCommand[];
  readonly clock: Clock;
  readonly log: Logger;
};

export type AppCall = {
  /** A method of the Web API, `response_url` or `upload`. */
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly fields: JsonRecord;
};

export type Fault = {
  /** Fields that the call has instead of its own. */
  readonly fields?: JsonRecord;
  /** Delays the reply until the promise settles. */
  readonly answeredAfter?: () => Promise<unknown>;
  /** True if the call still takes effect. */
  readonly isCarriedOut: boolean;
  /** The reply: another one, the real one, or none. */
  readonly answer: Answered | 'real';
  /** Hides a message that the call posts until the promise settles. */
  readonly visibleAfter?: () => Promise<unknown>;
};
