/** SSRF guard: addresses to which the name of a query service may resolve. */
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/bot/query/client/pool.ts';

const publicOnes = [
  '93.184.216.34',
  '8.8.8.8',
  '168.63.129.15',
  '2606:4700::1111',
  '2a00:1450:4001:80b::200e',
  '2600::1',
];

/** The registries' special ranges (IANA, IPv4), and where clouds keep what only their machines may ask. */
const refusedIpv4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
  ...['169.254.169.254/32', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
];
const refusedIpv6 = [
  ...['::/128', '::1/128', '::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64'],
  ...['100:0:0:1::/64', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8', 'fd00:ec2::254/128', '4000::/2', '8000::/1'],
];

/** @returns any address of the range: its bits, and random ones behind them */
function addressIn(range: string): fc.Arbitrary<string> {
  const [first, bits] = ipaddr.parseCIDR(range);
  const bytes = first.toByteArray();
  return fc.uint8Array({ minLength: bytes.length, maxLength: bytes.length }).map((random) => {
    const mixed = bytes.map((byte, index) => {
      const own = Math.min(8, Math.max(0, bits - index * 8));
      return byte | ((random[index] ?? 0) & (0xff >> own));
    });
    return ipaddr.fromByteArray(mixed).toString();
  });
}

const hex = (value: number) => value.toString(16).padStart(2, '0');
/** A prefix and what follows the IPv4 address in it. */
const embeddings: readonly ((ipv4: string, word: string) => string)[] = [
  (ipv4) => `::${ipv4}`,
  (ipv4) => `::ffff:${ipv4}`,
  (ipv4) => `::ffff:0:${ipv4}`,
  (ipv4) => `64:ff9b::${ipv4}`,
  (ipv4) => `64:ff9b:1::${ipv4}`,
  (_, word) => `2002:${word}::1`,
  (_, word) => `2001:0:${word}::`,
  (ipv4) => `2a00:1450:1:2:0:5efe:${ipv4}`,
  (ipv4) => `2a00:1450:1:2:200:5efe:${ipv4}`,
  (ipv4) => `fe80::5efe:${ipv4}`,
];

const verdict = (address: string) => [address, isPublicAddress(address)];

test.each(publicOnes)('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([...refusedIpv4, ...refusedIpv6])('no address of %s is public', (range) => {
  fc.assert(fc.property(addressIn(range), (address) => void expect(verdict(address)).toEqual([address, false])));
});

test('a refused IPv4 address is refused in each form of IPv6 that contains one', () => {
  const refused = fc.constantFrom(...refusedIpv4).chain(addressIn);
  fc.assert(
    fc.property(refused, fc.constantFrom(...embeddings), (ipv4, embed) => {
      const octets = ipv4.split('.').map(Number).map(hex);
      const address = embed(ipv4, `${octets.slice(0, 2).join('')}:${octets.slice(2).join('')}`);
      const spellings = [address, ipaddr.parse(address).toString(), ipaddr.parse(address).toNormalizedString()];
      for (const spelling of spellings) expect(verdict(spelling)).toEqual([spelling, false]);
    }),
    { numRuns: 1_000 },
  );
});

test('a refused IPv4 address is refused behind any NAT64 prefix, except for 0.0.0.0/8, which looks like an interface id', () => {
  const refused = fc.constantFrom(...refusedIpv4.slice(1)).chain(addressIn);
  const behind = (range: fc.Arbitrary<string>) => range.map((ipv4) => `2a00:1450:1:2::${ipv4}`);
  fc.assert(fc.property(behind(refused), (address) => !isPublicAddress(address)));
  fc.assert(fc.property(behind(addressIn('0.0.0.0/8')), isPublicAddress));
});

test('an IPv4 address in an unusual spelling is not public', () => {
  const octet = fc.constantFrom<(value: number) => string>(
    (value) => `0${value.toString(8)}`,
    (value) => `0x${value.toString(16)}`,
  );
  fc.assert(
    fc.property(fc.constantFrom(...publicOnes.slice(0, 3), '127.0.0.1', '10.1.2.3'), octet, (ipv4, spell) => {
      const octets = ipv4.split('.').map(Number);
      const whole = octets.reduce((sum, each) => sum * 256 + each, 0);
      const short = `${octets[0]}.${(octets[1] ?? 0) * 65_536 + (octets[2] ?? 0) * 256 + (octets[3] ?? 0)}`;
      for (const spelling of [octets.map(spell).join('.'), `${whole}`, spell(whole), short, ` ${ipv4}`, `${ipv4}.`])
        expect(verdict(spelling)).toEqual([spelling, false]);
    }),
  );
});

test.each(['', 'no address', '[::1]', 'localhost'])('“%s” is not public', (text) => {
  expect(isPublicAddress(text)).toBe(false);
});
