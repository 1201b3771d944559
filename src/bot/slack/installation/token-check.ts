/** Detects that a workspace removed the bot without an event: Slack no longer accepts its token. */
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { SlackClients } from '../outbound/web-api/client.ts';
import { classifyThrown, describe } from '../outbound/web-api/errors.ts';
import type { WorkspaceCache } from './installed-workspaces.ts';
import type { MissingScopes } from './missing-scopes.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { Uninstall } from './uninstall.ts';
import type { Workspaces } from './workspaces.ts';

export type TokenCheckDeps = {
  readonly tokens: Pick<TokenRefresh, 'current'>;
  readonly workspaces: Workspaces;
  readonly cache: Pick<WorkspaceCache, 'forget' | 'installationsUsing'>;
  readonly clients: SlackClients;
  readonly leave: Uninstall;
  readonly scopes: Pick<MissingScopes, 'review'>;
  readonly clock: Clock;
  readonly log: Logger;
};

export type TokenCheck = {
  /** Checks the token of an installation with Slack. Simultaneous checks are one. Never rejects. */
  readonly check: (id: string) => Promise<void>;
  /** Checks whether a workspace may still use the bot of its enterprise. Never rejects. */
  readonly checkGrant: (installation: Installation) => Promise<void>;
  /** Handles Slack's refusal of a call with this token. @param error as Slack names it */
  readonly refused: (botToken: string, error: string) => void;
  /** @returns true if the last check ended in doubt */
  readonly isDoubted: (id: string) => boolean;
};

/** https://docs.slack.dev/reference/methods/auth.test: only removing the bot leads to these. */
const goneErrors = new Set(['account_inactive', 'token_revoked']);
/** Slack also returns these to an address that it does not allow. */
const doubtfulErrors = new Set(['invalid_auth', 'invalid_refresh_token']);
const doubtsMax = 3;
/** Doubts within this time count as one. */
const doubtEveryMs = 60_000;

/** These errors may be about an older token than the current one. */
const tokenErrors = new Set([...goneErrors, ...doubtfulErrors, 'token_expired']);

type Doubt = { readonly times: number; readonly at: number };

export function createTokenCheck(deps: TokenCheckDeps): TokenCheck {
  const { workspaces, cache, leave, clock, log } = deps;
  const underWay = new Map<string, Promise<void>>();
  const doubts = new Map<string, Doubt>();
  const judge = async (id: string): Promise<void> => {
    const requestedAt = clock();
    const error = await refusalOf(deps, id);
    if (error !== undefined && goneErrors.has(error)) return leave(id, requestedAt, error);
    if (error === undefined || !doubtfulErrors.has(error)) return void doubts.delete(id);
    const { times, at } = doubts.get(id) ?? { times: 0, at: Number.NEGATIVE_INFINITY };
    if (requestedAt < at + doubtEveryMs) return;
    log.error({ teamId: id, error, times: times + 1 }, 'slack refused a token');
    if (times + 1 < doubtsMax) return void doubts.set(id, { times: times + 1, at: requestedAt });
    doubts.delete(id);
    await leave(id, requestedAt, error);
  };
  const once = (id: string, work: () => Promise<void>): Promise<void> => {
    const begun =
      underWay.get(id) ??
      work()
        .catch((error: unknown) =>
          log.error({ teamId: id, error: describe(error) }, 'slack token could not be checked'),
        )
        .finally(() => underWay.delete(id));
    underWay.set(id, begun);
    return begun;
  };
  return {
    check: (id) => once(id, () => judge(id)),
    checkGrant: ({ teamId }) =>
      once(teamId, async () => {
        const requestedAt = clock();
        if (!(await workspaces.find(teamId))) await leave(teamId, requestedAt, 'its organization took it away');
      }),
    refused: (botToken, error) => {
      if (!tokenErrors.has(error)) return;
      for (const id of cache.installationsUsing(botToken)) {
        cache.forget(id);
        void once(id, () => judge(id));
      }
    },
    isDoubted: (id) => doubts.has(id),
  };
}

/** @returns Slack's error for the current token; undefined if Slack accepts it or there is none */
async function refusalOf({ tokens, clients, scopes }: TokenCheckDeps, id: string): Promise<string | undefined> {
  const current = await tokens.current(id);
  if (current.kind === 'none') return undefined;
  if (current.kind === 'ended') return current.error;
  try {
    const { botToken } = current.tokens;
    const { response_metadata: about } = await clients.of(botToken).auth.test();
    await scopes.review(id, botToken, about?.scopes);
    return undefined;
  } catch (thrown) {
    return classifyThrown(thrown).error;
  }
}
