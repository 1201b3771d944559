/** Finds the values of a `Cookie` or `Set-Cookie` line, each one of them. */
import type { Finding } from './finding.ts';
import { isPlaceholder } from './judge.ts';
import { markEnd } from './marks.ts';
import type { Value } from './values.ts';

const pair = /[ \t;,]{0,8}([^\s=;,"':(){}<>@?/]{1,100})=("?)((?:\[[^\]\n]{1,40}\]|[^\s;,"'\\])*)/y;
const attribute = /[ \t;,]{0,8}(?:HttpOnly|Secure|Partitioned)\b/iy;
const attributes = /^(?:path|domain|expires|max-age|samesite|priority|version|comment)$/i;
/** Dates hold blanks and a comma. */
const date = /[^;"'\\\n]*/y;
/** Shorter values choose a colour or a language. */
const valueUnitsMin = 6;

/** Browsers send no more to one site. */
const pairsMax = 180;

export function cookieValues(text: string, value: Value): readonly Finding[] {
  const limit = value.isQuoted ? value.end : text.length;
  const found: Finding[] = [];
  for (let at = value.start, pairs = 0; at < limit && pairs < pairsMax; pairs++) {
    pair.lastIndex = at;
    const match = pair.exec(text);
    if (!match || pair.lastIndex > limit) {
      attribute.lastIndex = at;
      if (!attribute.test(text)) break;
      at = attribute.lastIndex;
      continue;
    }
    const [, name = '', , written = ''] = match;
    const end = pair.lastIndex;
    at = end;
    if (/^expires$/i.test(name)) {
      date.lastIndex = end;
      at = date.test(text) ? Math.max(end, date.lastIndex) : end;
    } else if (isSecret(name, written) && markEnd(text, end - written.length) !== end) {
      found.push({ kind: 'cookie', start: end - written.length, end });
    }
    if (text[at] === '"') at += 1;
  }
  return found;
}

function isSecret(name: string, written: string): boolean {
  return written.length >= valueUnitsMin && !attributes.test(name) && !isPlaceholder(written);
}
