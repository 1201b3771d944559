/** Removes the API key, in every spelling, from what a service sends back, before that is cached or logged. */

export type Scrub = {
  /** Parses JSON and removes the key from every string. @throws SyntaxError or RangeError if it is no JSON */
  readonly parseJson: (text: string) => unknown;
  readonly text: (text: string) => string;
};

const mask = '[key]';
/** A shorter text is no secret, and masking it would damage ordinary words. */
const keyUnitsMin = 6;

/** @param key as it is sent */
export function createScrub(key: string): Scrub {
  const spellings = key.length < keyUnitsMin ? [] : spellingsOf(key);
  const percent = spellings.length === 0 ? undefined : percentPattern(key);
  // JSON escapes could spell the key: only a text without them can be searched before it is parsed.
  const hidingEscapes = /["\\]/.test(key) ? ['\\'] : ['\\u', '\\/'];
  const isSpelledOut = (json: string) => !hidingEscapes.some((hiding) => json.includes(hiding));
  const text = (given: string) => {
    const decoded = percent && given.includes('%') ? given.replace(percent, mask) : given;
    return spellings.reduce(
      (rest, spelling) => (rest.includes(spelling) ? rest.replaceAll(spelling, mask) : rest),
      decoded,
    );
  };
  return {
    text,
    parseJson: (json) => {
      const value: unknown = JSON.parse(json);
      return isSpelledOut(json) && text(json) === json ? value : scrubbed(value, text);
    },
  };
}

/** Works in place, since the value is not shared yet. A reviver costs twenty times as much as the parsing. */
function scrubbed(value: unknown, text: (given: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === 'object') scrubbed(inner, text);
    else if (typeof inner === 'string') {
      const clean = text(inner);
      if (clean !== inner) Object.defineProperty(value, name, { value: clean, enumerable: true });
    }
  }
  return value;
}

/** Matches the key in URLs, which may percent-encode any of its characters, in either case. */
function percentPattern(key: string): RegExp {
  const characters = [...key].map((character) => {
    const literal = character.replace(/[^A-Za-z0-9_]/g, '\\$&');
    const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
    return `(?:${literal}|%${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`;
  });
  return new RegExp(characters.join(''), 'g');
}

/** Longest first, so that no spelling leaves a part of a longer one. */
function spellingsOf(key: string): readonly string[] {
  const escaped = JSON.stringify(key).slice(1, -1);
  const all = [
    key,
    escaped,
    escaped.replaceAll('/', '\\/'),
    Buffer.from(key).toString('base64'),
    Buffer.from(key).toString('base64url'),
    ...[0, 1, 2].flatMap((offset) => base64Spellings(key, offset)),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** Base64 of a text with the key after `offset` bytes (modulo 3), without the digits shared with neighbouring text. */
function base64Spellings(key: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(key)]);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  const first = offset === 0 ? 0 : offset + 1;
  const digits = whole.toString('base64').slice(first);
  return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
}
