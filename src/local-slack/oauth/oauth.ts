/** OAuth v2: authorization requests, and codes that the app exchanges for tokens. */
import { randomBytes } from 'node:crypto';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { Refused } from '../state/content.ts';
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

/** The workspaces and organizations in which the app is installed. */
export type InstallTarget = {
  readonly workspace: Workspace;
  /** Set if the whole organization installs it; the workspace is then any of its own. */
  readonly organization: Organization | null;
};

/** The data behind an authorization code. */
type AuthorizationCode = Pick<AuthorizeRequest, 'scopes' | 'namedRedirectUri'> &
  InstallTarget & { readonly userId: string };

const codeLifeMs = 10 * 60_000;
const codesMax = 1000;

export class OAuth {
  readonly clientId = `${randomNumber()}.${randomNumber()}`;
  readonly clientSecret = randomBytes(16).toString('hex');
  /** No redirect URL is allowed by default. */
  settings: OAuthSettings = { redirectUrls: [] };
  readonly #clock: Clock;
  readonly #codes = createLruCache<AuthorizationCode & { readonly until: number; isUsed: boolean }>({
    entriesMax: codesMax,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param query of `/oauth/v2/authorize` @throws Refused */
  read(query: URLSearchParams): AuthorizeRequest {
    const { redirectUrls } = this.settings;
    if (query.get('client_id') !== this.clientId) throw new Refused('invalid_client_id');
    const namedRedirectUri = query.get('redirect_uri') ?? undefined;
    const redirectUri = namedRedirectUri ?? redirectUrls[0];
    const isKnown = redirectUrls.some(
      (url) => redirectUri === url || redirectUri?.startsWith(`${url.replace(/\/$/, '')}/`),
    );
    if (redirectUri === undefined || !isKnown) throw new Refused('bad_redirect_uri');
    const scopes = (query.get('scope') ?? '').split(/[\s,]+/).filter(Boolean);
    if (scopes.length === 0) throw new Refused('no_scopes');
    return { scopes, redirectUri, namedRedirectUri, state: query.get('state') ?? '' };
  }

  /** @returns the redirect with the code */
  allow(requested: AuthorizeRequest, by: InstallTarget & Pick<AuthorizationCode, 'userId'>): string {
    const { scopes, namedRedirectUri, redirectUri, state } = requested;
    const code = `${randomNumber()}.${randomNumber()}.${randomBytes(32).toString('hex')}`;
    this.#codes.set(code, { scopes, namedRedirectUri, ...by, until: this.#clock() + codeLifeMs, isUsed: false });
    return withQuery(redirectUri, { code, state });
  }

  /** @returns the redirect without a code */
  refuse({ redirectUri, state }: AuthorizeRequest): string {
    return withQuery(redirectUri, { error: 'access_denied', state });
  }

  /** @returns the data of a code without using it up @throws Refused */
  find(code: string): AuthorizationCode {
    const found = this.#codes.get(code);
    if (found?.isUsed) throw new Refused('code_already_used');
    if (!found || found.until <= this.#clock()) throw new Refused('invalid_code');
    return found;
  }

  use(code: string): void {
    const found = this.#codes.get(code);
    if (found) found.isUsed = true;
  }
}

function randomNumber(): number {
  return randomBytes(5).readUInt32BE();
}

/** Keeps the app's own query parameters. */
function withQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}
