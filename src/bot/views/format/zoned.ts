/** Instants as the clocks of one time zone show them: for what a whole channel reads together. */

/** @param at epoch milliseconds @param zone IANA; UTC where the engine does not know it @returns such as `Fri 20 Nov 09:00` */
export function zonedTime(at: number, zone: string): string {
  const parts = formatOf(zone).formatToParts(at);
  const told = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return `${told['weekday']} ${told['day']} ${told['month']} ${told['hour']}:${told['minute']}`;
}

/** @returns such as `Thu 19 Nov 09:00 to Fri 20 Nov 09:00 (Europe/Berlin)` */
export function zonedRange(from: number, to: number, zone: string): string {
  const [start, end] = [zonedTime(from, zone), zonedTime(to, zone)];
  const isOneDay = start.slice(0, -6) === end.slice(0, -6);
  return `${start} to ${isOneDay ? end.slice(-5) : end} (${zone.replaceAll('_', ' ')})`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone) ?? createFormat(zone);
  formats.set(zone, known);
  return known;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const options = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', timeZone: 'UTC' });
  }
}
