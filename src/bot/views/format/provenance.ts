/** How old an answer is and where it comes from: the small print under every answer. */
import type { Provenance } from '../../domain/provenance.ts';
import { dateToken, duration } from './date.ts';
import { type Markup, markup } from './mrkdwn.ts';

/** Nobody reads an age in milliseconds. */
const secondMs = 1000;

/** @param now epoch milliseconds @returns such as `live`, `cached 12 s ago`, `query service unreachable since 10:02, as of 3 min ago` */
export function sourceLine(provenance: Provenance, now: number): Markup {
  const age = duration(Math.max(secondMs, now - provenance.asOf));
  switch (provenance.source) {
    case 'live':
      return markup`:large_blue_circle: live`;
    case 'cached':
      return markup`:white_circle: cached ${age} ago`;
    case 'stale': {
      const since =
        provenance.failingSince === undefined ? markup`` : markup` since ${dateToken(provenance.failingSince)}`;
      return markup`:warning: query service ${provenance.trouble ?? 'unreachable'}${since}, as of ${age} ago`;
    }
  }
}

/** @returns a sentence that names what is not in the answer; nothing when all of it is */
export function missingLine(provenance: Provenance): readonly Markup[] {
  if (provenance.missing.length === 0) return [];
  return [markup`:warning: The query service could not give: ${provenance.missing.join(', ')}.`];
}
