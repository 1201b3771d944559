/** Reads the configured list of query services: the endpoints that a workspace may choose, and the only origins that are contacted. */
import { readOrigin } from '../../shared/allowed-endpoint.ts';

export type Endpoints = {
  /** The default endpoint first. */
  readonly urls: readonly [string, ...string[]];
  /** For `createQueryService`. */
  readonly origins: readonly string[];
  /** Origins to which keys travel unencrypted, or whose address cannot be checked. */
  readonly unguarded: readonly string[];
};

/** Used for a service that is listed without a path. */
const defaultPath = '/graphql';

/**
 * @param usual the endpoint of its own setting; it may be private
 * @param listed further entries, as `readOrigin` takes them; invalid ones are left out
 */
export function readEndpoints(usual: string, listed: readonly string[]): Endpoints {
  const entries = listed.flatMap((entry) => readOrigin(entry) ?? []);
  const own = readOrigin(usual);
  const unguarded = [...(own ? [own] : []), ...entries].filter(({ isPrivate }) => isPrivate);
  const urls = entries.map(({ url }) => (url.pathname === '/' ? `${url.origin}${defaultPath}` : url.href));
  return {
    urls: [usual, ...new Set(urls.filter((url) => url !== usual))],
    origins: [`private:${new URL(usual).origin}`, ...listed],
    unguarded: [...new Set(unguarded.map(({ url }) => url.origin))],
  };
}
