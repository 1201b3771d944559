/** Judges if a value is a secret: placeholders, public values and ordinary words are not; random characters are. */

/** Strength of a name: after a strong name almost any value is a secret, after a weak one only a value that looks like one; a key of a service is random or a uuid. */
export type Strength = 'strong' | 'weak' | 'service' | 'weakest';

/** Number of units that are judged; a longer value is judged by its beginning. */
const judgedUnitsMax = 256;

const statusWords = new Set(
  `absent accepts accepted access account active actual admin allowed an and any are array as ask async at auth authenticated
  argon2 argon2id bcrypt scrypt pbkdf2 authorized auto await bad bearer been begin bool boolean both buffer byte bytes by can cannot changed class const
  context could created date deadline default defined deleted denied did different disabled does empty enabled
  error exceeded exist exists expected expires expired fail failed failure false field file for format found from function
  generated given granted had has have header hidden id in incorrect input int integer invalid is it its json key let
  limit length list long match matched max may message min mismatch mismatched missing must na name nan new nil no none
  nonexistent not null number object of off ok old on one only or parameter parse pending policy present private promise
  prompt provided public read received redacted refresh requires takes needs expects must creating destroying refused reject rejected renewed request required reset response
  retry return revoked rotated rotating saved scope secret service session set shared short should stale str string
  success successful symbol text that the then this throw to token too true tuple type typeof unable unauthorized
  undefined unexpected unique unknown unset unsupported updated use used user using valid validated value var variable
  verified void was weak when while will with without write wrong yes you your`.split(/\s+/),
);

/** Words of a message about a secret; none of them is in a passphrase of a few words. */
const messageWords = new Set(
  `again blank cannot character characters choose common confirm contain contains credentials denied digit digits do does
  empty enter exceed exceeded expired failed field forbidden forgot has have incorrect invalid is key keys least letter letters lowercase
  match maximum mfa minimum mismatch missing must need needs new not optional or passphrase password passwords please policy
  provided required requires reset rule rules short should similar special strength strong symbol symbols than the token too type
  unsupported uppercase use using verification weak with without wrong you your`.split(/\s+/),
);

const placeholders = [
  /^(?:[*•●▪.·#_-]+|x+|y+|0+|n\/a)$/iu,
  // Templates, references to other variables, printf verbs, calls.
  /^%[A-Za-z_]\w*%$|^\$env:\w+$|^!(?:vault|ref|sub|secret|get|env|include|import)[\w-]*$/i,
  /^(?:\$[({]|\$[A-Za-z_]+$|\{\{|<[^>]*>?$|%[sdvqw@]|%\{|#\{|\$\$)/,
  /^[[(<{]*(?:redact|mask|hidden|filtered|omitted|sensitive|secret|elided|scrubbed|protected|encrypted|your|insert|example|placeholder|change-?me$|dummy)[a-z -]*[\])>}]*$/i,
  /^(?:process\.env|os\.environ|env\.|import\.meta|System\.getenv|ENV\[|vars\.|secrets\.|var\.|local\.|data\.|module\.)/i,
  /^[A-Za-z_$][\w$.]{0,40}(?:\(|=>|\[|::)/,
  /^(?:!0|!1|void 0)$/,
];

const publicValues = [
  /^[-+]?\d[\d_,.:]*(?:[a-z]{1,3}|%)?$/i,
  /^0x[0-9a-f]*(?:(?:…|\.\.\.)[0-9a-f]*)?$/i,
  /^v?\d+\.\d[\w.+-]*$/i,
  /^\d{4}-\d\d-\d\d(?:[T_ ][\d:.]+)?(?:Z|[+-]\d\d:?\d\d)?$/,
  // Paths, addresses of hosts, mailboxes, references to images.
  /^(?:~|\.{1,2})?\/(?:[a-z0-9_.@-]+\/)*[A-Za-z0-9_.@-]{0,40}$/,
  /^[a-z][a-z0-9+.-]*:\/\//i,
  /^[\w.+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i,
  /^(?:[a-z0-9-]{1,40}\.)+(?:eth|base|com|org|net|io|dev|xyz|local|internal|svc|sol|app|cloud)(?::\d+)?(?:\/[\w./-]*)?$/i,
  /^(?:[a-z0-9.-]+\/)+[a-z0-9._-]+(?::[\w.-]+)?(?:@sha256)?$/,
  /^(?:sha(?:1|224|256|384|512)|md5)[:-]/i,
  // Bech32 addresses, content identifiers, addresses of Tron and Ton.
  /^(?:bc|tb|cosmos|osmo|addr|sei|inj|celestia|ltc|erd|terra|juno|kava|axelar|stake|thor|secret|addr_test|neutron|dydx|noble)1[02-9ac-hj-np-z]{20,110}$/,
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[ky][a-z2-7]{50,})$/,
  /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
  // Ids of Twilio; `SK` begins a key.
  /^(?!SK)[A-Z]{2}[0-9a-f]{32}$/,
];

/** Words and a digest: `npm-linux-5f3a…`. */
const cacheKey = /^[a-z]+(?:[-_][a-z]+)*-[0-9a-f]{32,64}$/i;
/** Addresses and signatures of Solana. */
const base58Address = /^(?:[1-9A-HJ-NP-Za-km-z]{43,44}|[1-9A-HJ-NP-Za-km-z]{87,88})$/;
const uuids = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const uuid = /^\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?$/i;

/** @param isTight true if the value follows its name directly (`name=value`, `"name":"value"`), so it is not a sentence */
export function isSecretValue(value: string, strength: Strength, isTight: boolean): boolean {
  const judged = value.slice(0, judgedUnitsMax).trim();
  if (judged.length < 4 || isPlaceholder(judged)) return false;
  if (/\s/.test(judged))
    return (
      strength !== 'weakest' &&
      (isSecretPhrase(judged, strength) || (strength === 'strong' && isTight && isQuotedPhrase(judged)))
    );
  if (strength === 'strong') return isStrongSecret(judged, isTight);
  if (isPublicValue(judged)) return false;
  if (strength === 'service') return uuid.test(judged) || (judged.length >= 20 && isRandom(judged));
  if (strength === 'weakest') return judged.length >= 20 && isRandom(judged) && !cacheKey.test(judged);
  return uuid.test(judged) || isRandom(judged) || (isTight && isMixedWord(judged));
}

/** @returns true if a value that a protocol or a tool expects here is no ordinary word, name or number */
export function isTightSecret(value: string): boolean {
  const judged = value.slice(0, judgedUnitsMax);
  return !isPlaceholder(judged) && !isPublicValue(judged) && (isMixedWord(judged) || isRandom(judged));
}

/** @returns true if the word is random, a uuid, or letters and digits: a secret right behind a name that announces nothing else */
export function isKeyLike(value: string): boolean {
  return value.length >= 8 && (uuid.test(value) || isTightSecret(value) || /^[a-z]{4}(?:-[a-z]{4}){3}$/.test(value));
}

/** @returns true if the word has letters, a digit and a sign, as people make passwords: `Summer#2025` */
export function isPasswordLike(value: string): boolean {
  const hasAll = /[a-z]/i.test(value) && /\d/.test(value) && /[!@#$%^&*?+]/.test(value);
  return value.length >= 8 && hasAll && !/[/<>(){}=]/.test(value) && isTightSecret(value);
}

/** @returns true if the value, which follows a scheme or is in a path, looks random */
export function isRandomToken(value: string, unitsMin: number): boolean {
  if (value.length < unitsMin) return false;
  const judged = value.slice(0, judgedUnitsMax);
  return isRandom(judged) && !uuid.test(judged) && !isPublicValue(judged);
}

export function isUuid(value: string): boolean {
  return uuid.test(value);
}

export function isPlaceholder(value: string): boolean {
  const bare = value.replace(/(?<![.!?:])[.!?:]+$/, '').toLowerCase();
  if (statusWords.has(bare) || placeholders.some((pattern) => pattern.test(value))) return true;
  return /^(.)\1*$/u.test(value) || isReference(value);
}

/** Returns true if the value is a reference in a program: `config.password`, `options.auth.token`. */
function isReference(value: string): boolean {
  if (!/^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|->|::)[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  return (
    value.split(/[^A-Za-z]+/).every((word) => word.length < 4 || englishness(word) > 0.75) &&
    !/\d{2}|\d[a-z].*\d[a-z]/.test(value)
  );
}

function isPublicValue(value: string): boolean {
  return publicValues.some((pattern) => pattern.test(value)) || (base58Address.test(value) && isRandom(value));
}

/** Returns true unless the value only reports a state, because after a strong name every other value is a secret. */
function isStrongSecret(value: string, isTight: boolean): boolean {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || /^(?:~|\.{1,2})?\/(?:[a-z_.-]+\/)+[\w.-]*$/.test(value)) return false;
  if (/^\d+(?:\.\d+)?(?:ms|s|m|h|d)?$/.test(value)) return isTight && value.length >= 6;
  return isTight || !/^[A-Za-z]+[.!?]?$/.test(value) || englishness(value) < 0.75 || value.length >= 6;
}

/** Returns true for a few words if one of them is not a word, such as `ss1word`, but false for a sentence. */
function isSecretPhrase(value: string, strength: Strength): boolean {
  const words = value.split(/\s+/).map((word) => word.replace(/^["'([]+|(?<!["')\],.;:!?])["')\],.;:!?]+$/g, ''));
  const isFew = strength === 'strong' && words.length <= 5;
  return words.some((word) => {
    if (isPublicValue(word) || uuid.test(word)) return false;
    return (
      (word.length >= 10 && isRandom(word)) ||
      (isFew && isMixedWord(word) && !statusWords.has(words[0]?.toLowerCase() ?? ''))
    );
  });
}

/** Returns true for several words that form no sentence: `correct horse battery staple`. */
export function isPassphrase(value: string, wordsMin: number): boolean {
  if (!/^[A-Za-z][A-Za-z\s,"'\\-]*$/.test(value)) return false;
  const words = value.toLowerCase().match(/[a-z]+/g) ?? [];
  const ofSentences = words.filter((word) => word.length < 3 || statusWords.has(word)).length;
  return words.length >= wordsMin && ofSentences <= words.length / 6;
}

/** Returns true for a few quoted words that are no message about the secret. */
function isQuotedPhrase(value: string): boolean {
  const words = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isText = words.length >= 2 && words.length <= 12 && /^[^<>{}=]*[^.:<>{}=]$/.test(value);
  return isText && words.every((word) => !messageWords.has(word)) && !/^[A-Z][a-z]+(?: [A-Z]?[a-z]+)?$/.test(value);
}

/** Returns true for letters and digits in one word (`hunter2`), or capitals where no word has them; names of things have a hyphen. */
function isMixedWord(value: string): boolean {
  if (/^[A-Za-z]{8,}$/.test(value)) return /[a-z][A-Z].*[a-z][A-Z]/.test(value) && englishness(value) < 0.75;
  return value.length >= 6 && /[a-z]/i.test(value) && /\d/.test(value) && !/^[a-z]+(?:[-_/.:][a-z0-9]+)+$/i.test(value);
}

/** Returns true if many characters are outside of words, which no language has. */
export function isRandom(value: string): boolean {
  if (/^(.{1,3})\1{3,}$/u.test(value)) return false;
  if (/^(?:[0-9a-f]{32,}|(?=.{0,40}\d)(?=.{0,40}[a-f])[0-9a-f]{20,})$/i.test(value)) return true;
  let strange = 0;
  for (const [chunk] of value.replace(uuids, ' ').matchAll(/[A-Za-z0-9]+/g)) strange += strangeUnits(chunk);
  return strange >= 8 && strange / value.length >= 0.4;
}

/** Number of units of a run of letters and digits that belong to no word and no number. */
function strangeUnits(chunk: string): number {
  const runs = chunk.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  const words = runs.filter((run) => !/^\d/.test(run));
  const averageUnits = chunk.length / runs.length;
  // Digits mixed with letters, as in hexadecimal and base64.
  if (runs.length - words.length >= 2 && runs.length > 3 && averageUnits < 4.5) return chunk.length;
  if (averageUnits >= 3.2 && words.every(isWord)) return 0;
  const letters = words.join('');
  return letters.length >= 6 && englishness(letters) < 0.65 ? chunk.length : 0;
}

function isWord(letters: string): boolean {
  return letters.length <= 4 || englishness(letters) >= (letters.length < 12 ? 0.6 : 0.75);
}

/**
 * Pairs of letters: each group is a letter, then every letter that follows it in ordinary words (pairs above 0.05 % in
 * 44,000 words of technical prose).
 */
const followers =
  `abcdfgiklmnprstuvy baeijlorsu cacehiklorstu dadegilorsuy eabcdefgilmnpqrstvwxy faefilortu gaehilnorsu haeiortu
  iabcdefgklmnoprstvz jes kaefis ladeilostuy mabeijmopsu nacdefgiklnopstuv oabcdefgiklmnoprstuvw paehilmoprstu qu
  racdefgikmnorstuvy sacehiklopstuy tacehiloprstuwy uabcdegilmnprst vaei waehinors xaeipt ynops ze`.split(/\s+/);
/** One for each pair of codes of letters: a look-up in a set of texts takes four times as long. */
const isPair = new Uint8Array(128 * 128);
for (const [first = '', ...next] of followers)
  for (const second of next) isPair[first.charCodeAt(0) * 128 + second.charCodeAt(0)] = 1;

/** @param letters one or more of A-Z, a-z @returns the share of neighbouring pairs that words have: about 0.97 for words, 0.4 for random letters */
export function englishness(letters: string): number {
  const lower = letters.toLowerCase();
  if (lower.length < 2) return 1;
  let known = 0;
  for (let at = 1; at < lower.length; at++) known += isPair[lower.charCodeAt(at - 1) * 128 + lower.charCodeAt(at)] ?? 0;
  return known / (lower.length - 1);
}
