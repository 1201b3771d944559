/** Searches time zones by what people type. */

/** Current names that the engine's list spells the old way, and UTC, which it lacks. */
const newer = [
  'UTC',
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Indiana/Indianapolis',
  'America/Kentucky/Louisville',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Kanton',
  'Pacific/Pohnpei',
];

const names: readonly string[] = [...new Set([...Intl.supportedValuesOf('timeZone'), ...newer])].sort();

/**
 * @param typed a part of a name, with spaces or underscores, in any case; empty for nothing yet
 * @param first the likeliest zones, in order
 * @returns IANA names, best match first; of equal matches the likely zones first
 */
export function searchZones(typed: string, first: readonly string[]): readonly string[] {
  const wanted = asWords(typed);
  const all = [...new Set([...first, ...names])];
  const found = all.map(asWords).map((words, index) => ({ name: all[index] ?? '', rank: rankOf(words, wanted) }));
  return found
    .filter(({ rank }) => rank < noMatch)
    .sort((one, other) => one.rank - other.rank)
    .map(({ name }) => name);
}

const noMatch = 3;

/** The sort is stable, so likely zones stay first within a rank. */
function rankOf(words: string, wanted: string): number {
  if (wanted === '') return 0;
  const at = ` ${words}`.indexOf(` ${wanted}`);
  if (at !== -1) return words.endsWith(wanted) ? 0 : 1;
  return words.includes(wanted) ? 2 : noMatch;
}

function asWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_/]+/g, ' ')
    .trim();
}

/** @param zone an IANA name @param at epoch milliseconds @returns such as `UTC+05:30` */
export function zoneOffset(zone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const part = format.formatToParts(at).find(({ type }) => type === 'timeZoneName');
  return (part?.value ?? '').replace('GMT', 'UTC');
}
