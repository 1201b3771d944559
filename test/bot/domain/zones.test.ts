/** Time zones as people look for them. */
import { expect, test } from 'vitest';
import { isZone } from '../../../src/bot/domain/schedule.ts';
import { searchZones, zoneNamed, zoneOffset } from '../../../src/bot/domain/zones.ts';

test('every offered zone is valid', () => {
  expect(searchZones('', []).filter((name) => !isZone(name))).toEqual([]);
});

test.each([
  ['berl', 'Europe/Berlin'],
  ['New York', 'America/New_York'],
  ['new_york', 'America/New_York'],
  ['KOLKATA', 'Asia/Kolkata'],
  ['kyiv', 'Europe/Kyiv'],
  ['utc', 'UTC'],
  ['ho chi', 'Asia/Ho_Chi_Minh'],
])('“%s” finds %s first', (typed, zone) => expect(searchZones(typed, [])[0]).toBe(zone));

test('every name and every city is understood beside a time', () => {
  const missed = searchZones('', []).filter((name) => zoneNamed(name.toLowerCase()) === undefined);
  expect(missed).toEqual([]);
});

test('likely zones come before the others, each once', () => {
  const found = searchZones('', ['Asia/Tokyo', 'Europe/Berlin', 'Asia/Tokyo']);
  expect(found.slice(0, 2)).toEqual(['Asia/Tokyo', 'Europe/Berlin']);
  expect(new Set(found).size).toBe(found.length);
});

test.each(['Mars/Phobos', '\u0000', '['.repeat(50)])('%j finds none', (typed) => {
  expect(searchZones(typed, [])).toEqual([]);
});

test('an offset is the one at the given time', () => {
  const [summer, winter] = ['2026-07-01T00:00:00Z', '2026-01-01T00:00:00Z'].map((at) => Date.parse(at));
  expect(zoneOffset('Europe/Berlin', summer ?? 0)).toBe('UTC+02:00');
  expect(zoneOffset('Europe/Berlin', winter ?? 0)).toBe('UTC+01:00');
  expect(zoneOffset('Asia/Kathmandu', winter ?? 0)).toBe('UTC+05:45');
  expect(zoneOffset('UTC', 0)).toMatch(/^UTC/);
});
