/** OAuth v2: authorization requests, and codes that the app exchanges for tokens. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Organization } from '../state/organization.ts';
import type { Workspace } from '../state/workspace.ts';

/** Settings of the app's configuration page at Slack. */
export type OAuthSettings = {
  /** Allowed redirect URLs; every path below them is allowed too. */
  readonly redirectUrls: readonly string[];
  /** True if tokens expire and are refreshed; false by default. */
  readonly isRotating?: boolean;
  /** The app's own page on which an installation begins; the local Slack's page then links to it. */
  readonly installUrl?: string;
};

/** The parameters of an authorization request. */
export type AuthorizeRequest = {
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** Undefined if the request had none; the exchange then needs none either. */
  readonly namedRedirectUri: string | undefined;
  readonly state: string;
};

export type AuthorizeError = 'invalid_client_id' | 'bad_redirect_uri' | 'no_scopes';

/** The workspaces and organizations in which the app is installed. */
export type InstallTarget = {
  readonly workspace: Workspace;
  /** Set if the whole organization installs it; the workspace is then any of its own. */
  readonly organization: Organization | null;
};

/** The data behind an authorization code. */
type AuthorizationCode = Pick<AuthorizeRequest, 'scopes' | 'namedRedirectUri'> &
  InstallTarget & { readonly userId: string };

type CodeError = 'invalid_code' | 'code_already_used';

export type OAuth = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly settings: () => OAuthSettings;
  readonly configure: (settings: OAuthSettings) => void;
  /** @param query of `/oauth/v2/authorize` */
  readonly read: (query: URLSearchParams) => AuthorizeRequest | AuthorizeError;
  /** @returns the redirect with the code */
  readonly allow: (requested: AuthorizeRequest, by: InstallTarget & Pick<AuthorizationCode, 'userId'>) => string;
  /** @returns the redirect without a code */
  readonly refuse: (requested: AuthorizeRequest) => string;
  /** @returns the data of a code without using it up */
  readonly find: (code: string) => AuthorizationCode | CodeError;
  readonly use: (code: string) => void;
};

const codeLifeMs = 10 * 60_000;
const codesMax = 1000;

export function createOAuth(clock: Clock): OAuth {
  const clientId = `${randomBytes(5).readUInt32BE()}.${randomBytes(5).readUInt32BE()}`;
  const codes = createLruCache<AuthorizationCode & { readonly until: number; isUsed: boolean }>({
    entriesMax: codesMax,
  });
  let settings: OAuthSettings = { redirectUrls: [] };
  return {
    clientId,
    clientSecret: randomBytes(16).toString('hex'),
    settings: () => settings,
    configure: (next) => {
      settings = next;
    },
    read: (query) => readAuthorizeRequest(query, clientId, settings),
    allow: ({ scopes, namedRedirectUri, redirectUri, state }, by) => {
      const code = `${randomBytes(5).readUInt32BE()}.${randomBytes(5).readUInt32BE()}.${randomBytes(32).toString('hex')}`;
      codes.set(code, { scopes, namedRedirectUri, ...by, until: clock() + codeLifeMs, isUsed: false });
      return withQuery(redirectUri, { code, state });
    },
    refuse: ({ redirectUri, state }) => withQuery(redirectUri, { error: 'access_denied', state }),
    find: (code) => {
      const found = codes.get(code);
      if (found?.isUsed) return 'code_already_used';
      return found && found.until > clock() ? found : 'invalid_code';
    },
    use: (code) => {
      const found = codes.get(code);
      if (found) found.isUsed = true;
    },
  };
}

function readAuthorizeRequest(
  query: URLSearchParams,
  clientId: string,
  { redirectUrls }: OAuthSettings,
): AuthorizeRequest | AuthorizeError {
  if (query.get('client_id') !== clientId) return 'invalid_client_id';
  const namedRedirectUri = query.get('redirect_uri') ?? undefined;
  const redirectUri = namedRedirectUri ?? redirectUrls[0];
  const isKnown = redirectUrls.some(
    (url) => redirectUri === url || redirectUri?.startsWith(`${url.replace(/\/$/, '')}/`),
  );
  if (redirectUri === undefined || !isKnown) return 'bad_redirect_uri';
  const scopes = (query.get('scope') ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
  if (scopes.length === 0) return 'no_scopes';
  return { scopes, redirectUri, namedRedirectUri, state: query.get('state') ?? '' };
}

/** Keeps the app's own query parameters. */
function withQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}
