/** Clients of Slack's Web API: one per token. None repeats a write by itself. */
import { type FetchFunction, type WebAPICallResult, WebClient, type WebClientOptions } from '@slack/web-api';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { type AudienceOf, WithheldError } from './audience.ts';
import { createSdkLog } from './errors.ts';

export type SlackClientDeps = {
  /** Ends with a slash. */
  readonly slackApiUrl: string;
  readonly fetch: FetchFunction;
  readonly log: Logger;
  /** The SDK waits forever by default. */
  readonly callTimeoutMs: number;
};

/** Number of cached clients; the least recently used one is dropped. */
const clientsMax = 100;

/**
 * @returns a new object for each caller, since the SDK writes into its options. Without these settings the SDK waits
 *   forever, sends a post four times if an answer is lost, and pauses every call of a client after one 429.
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
  /** The workspace, where an answer with a chart may be posted. */
  readonly teamId?: string;
  /** `ts` of the thread's root, for a reply. */
  readonly threadTs?: string;
};

export type SlackClients = {
  readonly of: (botToken: string) => WebClient;
};

/** @param check called before each call that several people could see; left out for the check's own calls */
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

/** Calls that show nothing, or show it to one person. A method that is not listed here is checked. */
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
  'entity.presentDetails',
  'files.delete',
  'files.getUploadURLExternal',
  'users.info',
  'views.open',
  'views.publish',
  'views.update',
]);

/** The last check before Slack: refuses calls that earlier checks have missed. */
class CheckedClient extends WebClient {
  readonly #botToken: string;
  readonly #check: AudienceOf;

  constructor(botToken: string, options: WebClientOptions, check: AudienceOf) {
    super(botToken, options);
    this.#botToken = botToken;
    this.#check = check;
  }

  /** @throws WithheldError if people of another company would see the message or the audience is unknown */
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
