/** Reads the operator's list of query services: what a workspace may choose, and the only origins that are contacted. */
import { readEntry } from '../../shared/allowed-endpoint.ts';

export type Endpoints = {
  /** Where questions are sent, the usual one first. */
  readonly urls: readonly [string, ...string[]];
  /** For `createQueryService`. */
  readonly origins: readonly string[];
  /** Those to which keys travel unencrypted, or that stand where no check of an address can tell who answers. */
  readonly unguarded: readonly string[];
};

/** Where a service answers that is listed without a path. */
const usualPath = '/graphql';

/**
 * @param usual the endpoint that stands in the settings by itself: whoever starts the bot knows where it is
 * @param listed further ones, each as `readOrigin` takes them; what is none is left out
 */
export function readEndpoints(usual: string, listed: readonly string[]): Endpoints {
  const entries = listed.flatMap((entry) => readEntry(entry) ?? []);
  const own = readEntry(usual);
  const unguarded = [...(own ? [own] : []), ...entries].filter(({ isPrivate }) => isPrivate);
  const urls = entries.map(({ url }) => (url.pathname === '/' ? `${url.origin}${usualPath}` : url.href));
  return {
    urls: [usual, ...new Set(urls.filter((url) => url !== usual))],
    origins: [`private:${new URL(usual).origin}`, ...listed],
    unguarded: [...new Set(unguarded.map(({ url }) => url.origin))],
  };
}
