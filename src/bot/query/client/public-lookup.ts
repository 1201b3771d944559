/** Looks up names and refuses addresses that are not public, each time a connection is made (SSRF guard). */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name whose addresses may be anyone's: one that is not public makes all of them suspect. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Answers inside a cloud's network alone, from an address that the registries list as ordinary. */
const cloudHostAgent = '168.63.129.16';
/** All of IPv6 that is routed globally. Forms of IPv4, and networks that stay on one site, are outside of it. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** What precedes the IPv4 address in an identifier of ISATAP. */
const isatapMarks = new Set(['0:5efe', '200:5efe']);

/**
 * @param address as a resolver spells it; short, octal and hexadecimal forms of IPv4 are refused
 * @returns whether packets to it leave for the internet: not to this machine, a private network, or a special purpose
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address === cloudHostAgent) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return !(parsed instanceof ipaddr.IPv6) || (parsed.match(globalIpv6) && !embedsPrivateIpv4(parsed));
}

/**
 * The identifier of an interface holds an IPv4 address in ISATAP, and behind a network's own prefix for NAT64. A small one such
 * as `::1` reads as an address of 0.0.0.0/8, to which nothing is sent: it is not taken for one.
 */
function embedsPrivateIpv4({ parts: [, , , , first = 0, second = 0, ...ipv4] }: ipaddr.IPv6): boolean {
  const octets = ipv4.flatMap((part) => [part >> 8, part & 0xff]);
  const isTranslated = first === 0 && second === 0 && octets[0] !== 0;
  const isIsatap = isatapMarks.has(`${first.toString(16)}:${second.toString(16)}`);
  return (isTranslated || isIsatap) && !isPublicAddress(octets.join('.'));
}

/** @param lookup the machine's own where left out @returns as Node's connections want it; fails where any address is not public */
export function createPublicLookup(lookup: LookupFunction = systemLookup): LookupFunction {
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
