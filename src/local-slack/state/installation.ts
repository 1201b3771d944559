/** The app's installation in one workspace: scopes, and tokens with rotation. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';
import { noStorage, type Records } from './storage.ts';

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

type Issuing = {
  /** Keyed by the digest of the token, which itself is not kept. */
  readonly issued: readonly (readonly [digest: string, Issued])[];
  readonly refreshTokens: readonly string[];
};

/** The part that survives a restart. */
export type InstallationRecord = Issuing & {
  readonly granted: { readonly scopes: readonly string[]; readonly isRotating: boolean } | null;
};

/** Limits what is kept of former tokens. */
const keptMax = 20;

/**
 * @param number of the workspace, part of its tokens
 * @param onChange called on install and uninstall
 * @param records keeps the installation; in memory only by default
 */
export function createInstallation(
  number: number,
  clock: Clock,
  onChange: () => void,
  records: Records<InstallationRecord> = noStorage.records('installation', number),
): Installation {
  const [kept] = records.list();
  const tokens = createTokens(number, clock, kept);
  let granted = kept?.granted ?? null;
  const keep = () => records.put('app', { granted, ...tokens.state() });
  const issue = (isRotating: boolean): Tokens => {
    const issued = tokens.issue(isRotating);
    keep();
    return issued;
  };
  return {
    isInstalled: () => granted !== null,
    scopes: () => granted?.scopes ?? [],
    botToken: tokens.newest,
    check: tokens.check,
    install: (scopes, isRotating) => {
      granted = { scopes, isRotating };
      const issued = issue(isRotating);
      onChange();
      return issued;
    },
    refresh: (refreshToken) => (tokens.useUp(refreshToken) && granted ? issue(true) : undefined),
    revoke: (token) => {
      tokens.revoke(token);
      keep();
    },
    uninstall: () => {
      granted = null;
      tokens.endAll();
      keep();
      onChange();
    },
  };
}

/** The tokens of one installation. @param kept of earlier runs */
function createTokens(number: number, clock: Clock, kept: Issuing | undefined) {
  const issued = new Map<string, Issued>(kept?.issued);
  const refreshTokens = new Set<string>(kept?.refreshTokens);
  /** Tokens of this run, by digest. */
  const known = new Map<string, string>();
  const live = () => [...issued].filter(([, { state, until }]) => state === 'live' && until > clock());
  const end = (state: Issued['state'], tokens: readonly (readonly [string, Issued])[]) => {
    for (const [, token] of tokens) token.state = state;
  };
  return {
    issue: (isRotating: boolean): Tokens => {
      const tokens = newTokens(number, isRotating);
      const until = isRotating ? clock() + lifeSeconds * 1000 : Number.POSITIVE_INFINITY;
      const digest = digestOf(tokens.accessToken);
      issued.set(digest, { until, state: 'live' });
      known.set(digest, tokens.accessToken);
      if (tokens.refreshToken !== null) refreshTokens.add(digestOf(tokens.refreshToken));
      end('token_revoked', live().slice(0, -liveMax));
      return tokens;
    },
    newest: () => {
      const tokens = live().flatMap(([digest]) => known.get(digest) ?? []);
      return tokens.at(-1) ?? '';
    },
    check: (token: string) => {
      const found = issued.get(digestOf(token));
      if (found?.state !== 'live') return found?.state;
      return found.until > clock() ? 'ok' : 'token_expired';
    },
    useUp: (refreshToken: string) => refreshTokens.delete(digestOf(refreshToken)),
    revoke: (token: string) => {
      const digest = digestOf(token);
      end(
        'token_revoked',
        live().filter(([each]) => each === digest),
      );
    },
    endAll: () => {
      refreshTokens.clear();
      end('account_inactive', [...issued]);
    },
    state: (): Issuing => ({
      issued: [...issued].slice(-keptMax),
      refreshTokens: [...refreshTokens].slice(-keptMax),
    }),
  };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
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
