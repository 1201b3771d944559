/** The app's installation in one workspace: scopes, and tokens with rotation. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';

export type Tokens = {
  readonly accessToken: string;
  /** Null if tokens do not expire. */
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
};

type TokenError = 'token_expired' | 'token_revoked' | 'account_inactive';

export type Installation = {
  readonly isInstalled: () => boolean;
  /** Scopes of the latest installation; empty when not installed. */
  readonly scopes: () => readonly string[];
  /** The newest valid token; empty if there is none. */
  readonly botToken: () => string;
  /** @param isRotating true if its tokens expire in twelve hours */
  readonly install: (scopes: readonly string[], isRotating: boolean) => Tokens;
  /** Uses up the refresh token. */
  readonly refresh: (refreshToken: string) => Tokens | undefined;
  /** @returns undefined for an unknown token or one of another workspace */
  readonly check: (token: string) => 'ok' | TokenError | undefined;
  /** Revokes one token; the app stays installed. */
  readonly revoke: (token: string) => void;
  readonly uninstall: () => void;
};

/** https://docs.slack.dev/authentication/using-token-rotation: tokens live twelve hours, and two are valid at a time. */
const lifeSeconds = 43_200;
const liveMax = 2;

type Issued = { readonly until: number; state: 'live' | Exclude<TokenError, 'token_expired'> };

/** @param number of the workspace, part of its tokens @param onChange called on install and uninstall */
export function createInstallation(number: number, clock: Clock, onChange: () => void): Installation {
  const issued = new Map<string, Issued>();
  const refreshTokens = new Set<string>();
  let granted: { readonly scopes: readonly string[]; readonly isRotating: boolean } | null = null;
  const live = () => [...issued].filter(([, { state, until }]) => state === 'live' && until > clock());
  const end = (state: Issued['state'], tokens: readonly (readonly [string, Issued])[]) => {
    for (const [, token] of tokens) token.state = state;
  };
  const issue = (isRotating: boolean): Tokens => {
    const tokens = newTokens(number, isRotating);
    const until = isRotating ? clock() + lifeSeconds * 1000 : Number.POSITIVE_INFINITY;
    issued.set(tokens.accessToken, { until, state: 'live' });
    if (tokens.refreshToken !== null) refreshTokens.add(tokens.refreshToken);
    end('token_revoked', live().slice(0, -liveMax));
    return tokens;
  };
  return {
    isInstalled: () => granted !== null,
    scopes: () => granted?.scopes ?? [],
    botToken: () => live().at(-1)?.[0] ?? '',
    install: (scopes, isRotating) => {
      granted = { scopes, isRotating };
      const tokens = issue(isRotating);
      onChange();
      return tokens;
    },
    refresh: (refreshToken) => (refreshTokens.delete(refreshToken) && granted ? issue(true) : undefined),
    check: (token) => {
      const found = issued.get(token);
      if (found?.state !== 'live') return found?.state;
      return found.until > clock() ? 'ok' : 'token_expired';
    },
    revoke: (token) =>
      end(
        'token_revoked',
        live().filter(([name]) => name === token),
      ),
    uninstall: () => {
      granted = null;
      refreshTokens.clear();
      end('account_inactive', [...issued]);
      onChange();
    },
  };
}

/** Creates tokens in Slack's forms. */
function newTokens(number: number, isRotating: boolean): Tokens {
  const secret = () => randomBytes(12).toString('hex');
  const accessToken = `xoxb-${100_000_000_000 + number}-${secret()}`;
  if (!isRotating) return { accessToken, refreshToken: null, expiresInSeconds: null };
  return {
    accessToken: `xoxe.${accessToken.replace('xoxb-', 'xoxb-1-')}`,
    refreshToken: `xoxe-1-${secret()}${secret()}`,
    expiresInSeconds: lifeSeconds,
  };
}
