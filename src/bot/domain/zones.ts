/** Time zones by what people type. */

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

/** Each means its own offset, also in the half of the year in which its places have another. */
const spelled = 'z+0 utc+0 gmt+0 bst+1 cet+1 cest+2 eet+2 msk+3 jst+9 est-5 edt-4 cst-6 cdt-5 mst-7 mdt-6 pst-8 pdt-7';
const abbreviations = new Map(spelled.split(' ').map((each) => [each.slice(0, -2), each.slice(-2)]));
const american = { e: 'America/New_York', c: 'America/Chicago', m: 'America/Denver', p: 'America/Los_Angeles' };
const places = new Map(
  names.flatMap((name) => [name.toLowerCase(), asWords(name.replace(/^.*\//, ''))].map((key) => [key, name])),
);
/** Of several zones, or seldom used. */
const unclear = /^(?:ist|ast|adt|gst|sst|wet|pkt|ict|hkt|sgt|kst|brt|aest|aedt|nzst|nzdt|akst|akdt|eest|sast)$/;
const offset = /^(?:utc|gmt)? ?([+-])(\d{1,2}?):?(\d{2})?$/;

/**
 * @param typed in lower case: an offset, an abbreviation, a name, a city, or words before `time` @param ofReader IANA name
 * @returns an offset or an IANA name; null if it is not clear which zone is meant; undefined if none is
 */
export function zoneNamed(typed: string, ofReader = ''): string | null | undefined {
  const text = typed.replace(/^in /, '').replace(/(?: standard| daylight)?(?: time)?$/, '');
  if (unclear.test(text) || (/^[bc]st$/.test(text) && ofReader.startsWith('Asia/'))) return null;
  const [, sign, hours = '', minutes = '00'] = offset.exec(abbreviations.get(text) ?? text) ?? [];
  if (sign !== undefined) return Number(hours) > 14 ? null : `${sign}${hours.padStart(2, '0')}:${minutes}`;
  const [, region] = /^([ecmp])(?:t|astern|entral|ountain|acific)$/.exec(text) ?? [];
  const found = region === undefined ? places.get(text) : american[region as keyof typeof american];
  return found ?? (typed.endsWith(' time') ? null : undefined);
}

/** @returns whether a word can mean nothing else than a zone */
export function isZoneSign(word: string): boolean {
  return offset.test(word) || unclear.test(word) || (word.length > 2 && abbreviations.has(word));
}

/** @param zone an IANA name @param at epoch milliseconds @returns such as `UTC+05:30` */
export function zoneOffset(zone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const part = format.formatToParts(at).find(({ type }) => type === 'timeZoneName');
  return (part?.value ?? '').replace('GMT', 'UTC');
}
