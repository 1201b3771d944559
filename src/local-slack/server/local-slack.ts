/** The parts of a running local Slack by name: every route, method and interaction takes them. */
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
import type { Faults, HistoryLimit } from './faults.ts';
import type { PageFiles } from './page/assets.ts';
import type { ResponseUrls } from './response-url.ts';
import type { SocketMode } from './socket.ts';

export type LocalSlack = {
  /** Its own address, without a slash at the end. */
  readonly baseUrl: string;
  /** Value for `SLACK_API_URL`; ends with a slash. */
  readonly apiUrl: string;
  readonly appToken: string;
  readonly app: AppIdentity;
  readonly workspaces: Workspaces;
  readonly oauth: OAuth;
  readonly delivery: Delivery;
  readonly socketMode: SocketMode;
  readonly appEvents: AppEvents;
  readonly responseUrls: ResponseUrls;
  readonly offeredOptions: OfferedOptions;
  readonly triggers: Triggers;
  readonly faults: Faults;
  readonly historyLimit: HistoryLimit;
  /** By person, the browser window in which they acted last. */
  readonly windows: Map<string, string>;
  readonly pageFiles: PageFiles;
  /** The app's commands, which an empty channel offers. */
  readonly commands: readonly PageCommand[];
  /** Calls of the app, the oldest first. */
  readonly requests: RecordedRequest[];
  readonly clock: Clock;
  readonly log: Logger;
};

export type RecordedRequest = {
  /** A method of the Web API, `response_url` or `upload`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly fields: JsonRecord;
  /** Epoch milliseconds by the local Slack's clock. */
  readonly at: number;
};
