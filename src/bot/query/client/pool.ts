/** Connection pools to query services, through the configured proxy if one is set, with an SSRF guard for public origins. */

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { AllowedOrigin } from '../../../shared/allowed-endpoint.ts';

/** As the environment variables of the same names, which this file does not read. */
export type ProxySettings = { readonly httpProxy?: string; readonly httpsProxy?: string; readonly noProxy?: string };

export type PoolDeps = {
  readonly proxy: ProxySettings;
  readonly origins: readonly AllowedOrigin[];
  /** Resolves names to addresses; the system's resolver if left out. */
  readonly lookup?: LookupFunction | undefined;
};

export type Pool = {
  /** @returns the connections of an origin; those of a public origin reach public addresses only */
  readonly of: (origin: string) => Dispatcher;
  readonly close: () => Promise<void>;
};

const connectionsPerOrigin = 32;
const connectTimeoutMs = 2000;

/** A service on this machine is never reached through a proxy. */
const loopback = 'localhost,127.0.0.1,[::1]';

/** Node adds a private certificate authority by itself (NODE_EXTRA_CA_CERTS). */
export function createPool({ proxy, origins, lookup }: PoolDeps): Pool {
  const asWritten = createAgent(proxy, lookup);
  const publicOnly = createAgent(proxy, createPublicLookup(lookup));
  const privateOrigins = new Set(origins.filter(({ isPrivate }) => isPrivate).map(({ url }) => url.origin));
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

/** One address that is not public makes all addresses of a name suspect. */
class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Reachable inside a cloud's network only, although registries list it as an ordinary address. */
const cloudHostAgent = '168.63.129.16';
/** IPv6 that is routed globally. Embedded IPv4 and site-local networks are outside of it. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Precedes the IPv4 address in an ISATAP identifier. */
const isatapMarks = new Set(['0:5efe', '200:5efe']);

/**
 * @param address as a resolver spells it; short, octal and hexadecimal forms of IPv4 are refused
 * @returns whether it is on the internet: not this machine, a private network or an address with a special purpose
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address === cloudHostAgent) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return !(parsed instanceof ipaddr.IPv6) || (parsed.match(globalIpv6) && !embedsPrivateIpv4(parsed));
}

/**
 * An interface identifier contains an IPv4 address in ISATAP, and behind a network's own prefix in NAT64. A small identifier
 * such as `::1` reads as an address of 0.0.0.0/8, to which nothing is sent, and is not taken for one.
 */
function embedsPrivateIpv4({ parts: [, , , , first = 0, second = 0, ...ipv4] }: ipaddr.IPv6): boolean {
  const octets = ipv4.flatMap((part) => [part >> 8, part & 0xff]);
  const isTranslated = first === 0 && second === 0 && octets[0] !== 0;
  const isIsatap = isatapMarks.has(`${first.toString(16)}:${second.toString(16)}`);
  return (isTranslated || isIsatap) && !isPublicAddress(octets.join('.'));
}

/** @param lookup the system's resolver if left out @returns a lookup for Node's connections; fails if any address is not public */
function createPublicLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = Array.isArray(found) ? found : [];
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(new PrivateAddressError('The name has an address that is not public.'), '');
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
}
