/** Local times from the platform's formatter, to compare with. */

const formats = new Map<string, Intl.DateTimeFormat>();
const minuteMs = 60_000;

/** @param at epoch milliseconds @returns such as `2026-11-22T09:00` */
export function localTime(at: number, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(zone, format);
  }
  return format.format(at).replace(' ', 'T');
}

/** @returns each day's first moment at which the clock shows the time, or would show it without a change forward */
export function dueTimesOf(
  zone: string,
  time: string,
  after: number,
  until: number,
): readonly (readonly [string, number])[] {
  const dueTimes: [string, number][] = [];
  for (let day = Date.parse(utcDay(after)) - 86_400_000; day <= until + 86_400_000; day += 86_400_000) {
    const local = `${utcDay(day)}T${time}`;
    const at = momentOf(zone, local);
    if (at > after && at <= until) dueTimes.push([local, at]);
  }
  return dueTimes;
}

function momentOf(zone: string, local: string): number {
  const asUtc = Date.parse(`${local}Z`);
  // The clock can only have the offset of the day before or of the day after.
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((at) => Date.parse(`${localTime(at, zone)}Z`) - at);
  const moments = offsets.map((offset) => asUtc - offset).filter((at) => localTime(at, zone) === local);
  return moments.length > 0 ? Math.min(...moments) : asUtc - (offsets[0] ?? 0);
}

function utcDay(at: number): string {
  return new Date(Math.floor(at / minuteMs) * minuteMs).toISOString().slice(0, 10);
}
