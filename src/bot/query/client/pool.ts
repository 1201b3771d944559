/** Connection pools to query services: few, kept open, through the operator's proxy where one is set. */
import type { LookupFunction } from 'node:net';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { AllowedOrigin } from '../../../shared/allowed-endpoint.ts';
import { createPublicLookup } from './public-lookup.ts';

/** As in the variables of the same names; nothing is read from the environment here. */
export type ProxySettings = { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };

export type PoolDeps = {
  readonly proxy: ProxySettings;
  readonly origins: readonly AllowedOrigin[];
  /** How names become addresses; the machine's own way where left out. */
  readonly lookup?: LookupFunction | undefined;
};

export type Pool = {
  /** @returns the connections of an origin: for one that is not private, to public addresses only */
  readonly of: (origin: string) => Dispatcher;
  readonly close: () => Promise<void>;
};

const connectionsPerOrigin = 32;
const connectTimeoutMs = 2000;

/** A service on this very machine is never reached through a proxy. */
const loopback = 'localhost,127.0.0.1,[::1]';

/** A private certificate authority comes with Node's own NODE_EXTRA_CA_CERTS. */
export function createPool({ proxy, origins, lookup }: PoolDeps): Pool {
  const asWritten = createAgent(proxy, lookup);
  const publicOnly = createAgent(proxy, createPublicLookup(lookup));
  const privateOrigins = new Set(origins.filter(({ isPrivate }) => isPrivate).map(({ origin }) => origin));
  return {
    of: (origin) => (privateOrigins.has(origin) ? asWritten : publicOnly),
    close: async () => {
      await Promise.all([asWritten.destroy(), publicOnly.destroy()]);
    },
  };
}

function createAgent({ httpProxy = '', httpsProxy = '', noProxy = '' }: ProxySettings, lookup?: LookupFunction) {
  return new EnvHttpProxyAgent({
    httpProxy,
    httpsProxy,
    noProxy: noProxy === '*' ? '*' : `${noProxy},${loopback}`,
    connections: connectionsPerOrigin,
    connect: { timeout: connectTimeoutMs, ...(lookup && { lookup }) },
  });
}
