/** Clients of Slack's Web API: one for each token, none of which repeats a write by itself. */
import { type FetchFunction, type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { type AudienceOf, WithheldError } from './audience.ts';
import { createSdkLog } from './sdk-log.ts';

export type SlackClientDeps = {
  /** With a trailing slash. */
  readonly slackApiUrl: string;
  readonly fetch: FetchFunction;
  readonly log: Logger;
  /** The SDK's own default is to wait for ever. */
  readonly callTimeoutMs: number;
};

/** Workspaces whose clients are kept; the longest unused is dropped. */
const clientsMax = 100;

/**
 * @returns a new object for each caller: the SDK writes into the options it is given. Without these settings it waits for
 *   ever, sends the same post four times when an answer is lost, and pauses every call of a client on one 429.
 */
export function slackClientOptions({ slackApiUrl, fetch, log, callTimeoutMs }: SlackClientDeps): WebClientOptions {
  return {
    slackApiUrl,
    fetch,
    timeout: callTimeoutMs,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logger: createSdkLog(log),
  };
}

/** A channel, or a thread in it, and the token to write with. */
export type MessageTarget = {
  readonly botToken: string;
  readonly channelId: string;
  /** `ts` of the thread's root, for a reply. */
  readonly threadTs?: string;
};

export type SlackClients = {
  readonly of: (botToken: string) => WebClient;
};

/** @param check asked before each call that several people could see; left out for the check's own calls */
export function createSlackClients(deps: SlackClientDeps, check?: AudienceOf): SlackClients {
  const clientByToken = createLruCache<WebClient>({ entriesMax: clientsMax });
  const create = (botToken: string) => {
    const options = slackClientOptions(deps);
    return check ? new CheckedClient(botToken, options, check) : new WebClient(botToken, options);
  };
  return {
    of: (botToken) => {
      const client = clientByToken.get(botToken) ?? create(botToken);
      clientByToken.set(botToken, client);
      return client;
    },
  };
}

/** Calls that show nothing, or that one person alone sees. A method that is not listed here is checked. */
const privateMethods: ReadonlySet<string> = new Set([
  'auth.teams.list',
  'auth.test',
  'bots.info',
  'chat.delete',
  'chat.getPermalink',
  'chat.postEphemeral',
  'conversations.history',
  'conversations.info',
  'conversations.open',
  'conversations.replies',
  'files.delete',
  'files.getUploadURLExternal',
  'users.info',
  'views.open',
  'views.publish',
  'views.update',
]);

/** The last place before Slack at which nothing has been posted: what is forgotten further up is refused here. */
class CheckedClient extends WebClient {
  readonly #botToken: string;
  readonly #check: AudienceOf;

  constructor(botToken: string, options: WebClientOptions, check: AudienceOf) {
    super(botToken, options);
    this.#botToken = botToken;
    this.#check = check;
  }

  /** @throws WithheldError where people of another company would see it, or that cannot be found out */
  override async apiCall(method: string, options: Record<string, unknown> = {}): Promise<WebAPICallResult> {
    if (!privateMethods.has(method)) {
      const { channel = options['channel_id'] } = options;
      const conversation = { botToken: this.#botToken, channelId: String(channel) };
      const isOne = typeof channel === 'string' && !('channels' in options);
      const audience = isOne ? await this.#check(conversation) : 'sharing_unknown';
      if (audience !== 'own') throw new WithheldError(audience);
    }
    return super.apiCall(method, options);
  }
}
