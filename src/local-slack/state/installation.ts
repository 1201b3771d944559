/** The app's installation in one workspace: scopes, and tokens with rotation. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/time/clock.ts';

export type Tokens = {
  readonly accessToken: string;
  /** Null if tokens do not expire. */
  readonly refreshToken: string | null;
  readonly expiresInSeconds: number | null;
};

/** https://docs.slack.dev/authentication/using-token-rotation: tokens live twelve hours, and two are valid at a time. */
const lifeSeconds = 43_200;
const liveMax = 2;
/** Limits what is kept of former tokens. */
const keptMax = 20;

type Issued = { readonly until: number; state: 'live' | 'token_revoked' | 'account_inactive' };

/** The part that survives a restart. Tokens are kept as digests. */
export type InstallationRecord = {
  readonly granted: { readonly scopes: readonly string[]; readonly isRotating: boolean } | null;
  readonly issued: readonly (readonly [digest: string, Issued])[];
  readonly refreshTokens: readonly string[];
};

export class Installation {
  /** Of the workspace; part of its tokens. */
  readonly #number: number;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #records: Map<string, InstallationRecord>;
  #granted: InstallationRecord['granted'];
  /** By digest, the oldest first. */
  readonly #issued: Map<string, Issued>;
  readonly #refreshTokens: Set<string>;
  /** Tokens of this run, by digest. */
  readonly #known = new Map<string, string>();

  /** @param onChange called on install and uninstall */
  constructor(number: number, clock: Clock, onChange: () => void, records: Map<string, InstallationRecord>) {
    const { granted = null, issued, refreshTokens } = records.get('app') ?? {};
    this.#number = number;
    this.#clock = clock;
    this.#onChange = onChange;
    this.#records = records;
    this.#granted = granted;
    this.#issued = new Map(issued);
    this.#refreshTokens = new Set(refreshTokens);
  }

  isInstalled(): boolean {
    return this.#granted !== null;
  }

  /** Scopes of the latest installation; empty when not installed. */
  scopes(): readonly string[] {
    return this.#granted?.scopes ?? [];
  }

  /** The newest valid token; empty if there is none. */
  botToken(): string {
    return (
      this.#live()
        .flatMap(([digest]) => this.#known.get(digest) ?? [])
        .at(-1) ?? ''
    );
  }

  /** @param isRotating true if its tokens expire in twelve hours */
  install(scopes: readonly string[], isRotating: boolean): Tokens {
    this.#granted = { scopes, isRotating };
    const tokens = this.#issue(isRotating);
    this.#onChange();
    return tokens;
  }

  /** Uses up the refresh token. */
  refresh(refreshToken: string): Tokens | undefined {
    return this.#refreshTokens.delete(digestOf(refreshToken)) && this.#granted ? this.#issue(true) : undefined;
  }

  /** @returns undefined for an unknown token or one of another workspace */
  check(token: string): 'ok' | 'token_expired' | Exclude<Issued['state'], 'live'> | undefined {
    const found = this.#issued.get(digestOf(token));
    if (found?.state !== 'live') return found?.state;
    return found.until > this.#clock() ? 'ok' : 'token_expired';
  }

  uninstall(): void {
    this.#granted = null;
    this.#refreshTokens.clear();
    for (const issued of this.#issued.values()) issued.state = 'account_inactive';
    this.#keep();
    this.#onChange();
  }

  #live() {
    return [...this.#issued].filter(([, { state, until }]) => state === 'live' && until > this.#clock());
  }

  #issue(isRotating: boolean): Tokens {
    const tokens = newTokens(this.#number, isRotating);
    const until = isRotating ? this.#clock() + lifeSeconds * 1000 : Number.POSITIVE_INFINITY;
    const digest = digestOf(tokens.accessToken);
    this.#issued.set(digest, { until, state: 'live' });
    this.#known.set(digest, tokens.accessToken);
    if (tokens.refreshToken !== null) this.#refreshTokens.add(digestOf(tokens.refreshToken));
    for (const [, issued] of this.#live().slice(0, -liveMax)) issued.state = 'token_revoked';
    this.#keep();
    return tokens;
  }

  #keep(): void {
    const [issued, refreshTokens] = [[...this.#issued].slice(-keptMax), [...this.#refreshTokens].slice(-keptMax)];
    this.#records.set('app', { granted: this.#granted, issued, refreshTokens });
  }
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
