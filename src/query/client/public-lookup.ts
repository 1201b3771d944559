/** Looking up a name so that only public addresses come of it, each time a connection is made. */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A name whose addresses may be anyone's: one that is not public makes all of them suspect. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** @returns whether packets to it leave for the internet: not to this machine, a private network, or a special purpose */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast';
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
