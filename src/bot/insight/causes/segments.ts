/** Divides an error into segments and weighs each by how specific its words are. */
import { anyPlaceholder, nameOpening } from './placeholders.ts';
import { isAdvice, withoutAdvice } from './sentences.ts';
import { actionVerbs, commonWords, severityWords, squashed, wrapperWords } from './vocabulary.ts';
import { classWeight, nameParts, singular, weightOf, wordsOf } from './words.ts';

export type Segment = {
  readonly text: string;
  /** The separator from the segment before, as a title shows it. */
  readonly joint: string;
  /** Begins with the name and version of a capability that failed: what is before it is the workflow's wrapping. */
  readonly isOfCapability: boolean;
  /** Lower case, singular, without fillers and variables. */
  readonly words: readonly string[];
  /** Parts of its quoted names; none if it only wraps a fault. */
  readonly names: readonly string[];
  /** 1 for a specific word, a fraction for a common one, 0 for a wrapping one. */
  readonly weight: number;
  readonly isWrapper: boolean;
  /** Names values, or a code alone: the fault is described before them. */
  readonly isData: boolean;
  /** Contains a web address, as in `POST ledger.example/v2/payouts`. */
  readonly isAddress: boolean;
  /** Names the caller only: an action, a method, the class of the error. */
  readonly isCaller: boolean;
  /** Says where in the workflow, not what went wrong: `price step`, `while polling feed 17`. */
  readonly isPlace: boolean;
  /** An action on something: `load markets`. */
  readonly isAction: boolean;
  /** An action on nothing in particular: `read response`. */
  readonly isPlainAction: boolean;
  /** An HTTP status with its phrase. */
  readonly isStatus: boolean;
};

/** An error name of a contract or an SDK, alone or with arguments: `InvalidForwarder(…)`. */
const namesError = /(?:^|[\s:])[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}(?:\(|$)/;
const nameWeight = 0.5;

const boundary =
  /(?:[:：](?=\s(?!\s{0,3}[…\ue010-\ue018]\s{0,3}(?:[,;)\n]|$|[\p{L}_]{1,40}[:=]|(?:for|in|at|of|to|on|is|was|not|because)\b)|[\w.…\ue010-\ue018-]{1,40}[/:][\w/:.*…\ue010-\ue018-]{1,120}\s(?:on|is|because)\b)|$|[…\ue010-\ue018])|(?<=^(?:\[[^\]\n]{1,80}\]\s?){1,3})\s|\n|\s(?:->|=>|<-|→|←|—|–|-|\|)\s|\bnested exception is\b|\bcaused by\b:?|\bexception in thread\s(?:[…\ue010-\ue018]|\S{1,80})|\blast error\b:?)/giu;

/** Replace a colon and a dash inside brackets: the text there belongs to the words before the brackets. */
const innerColon = '\ue000';
const innerDash = '\ue003';

/** Colons and dashes inside closed brackets do not separate segments. */
function withInnerColons(text: string): string {
  return text.replace(/[([{][^()[\]{}\n]{1,300}[)\]}]/g, (inner) =>
    inner.replaceAll(':', innerColon).replaceAll('-', innerDash),
  );
}

const capability = /^\s?\S{1,80}\ue004/;

type Part = Pick<Segment, 'text' | 'joint' | 'isOfCapability'>;

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  let joint = ': ';
  for (const match of [...text.matchAll(boundary), null]) {
    const part = text.slice(from, match?.index);
    const plain = tidied(part.replaceAll(innerColon, ':').replaceAll(innerDash, '-').replaceAll('\ue004', ''));
    if (plain !== '') parts.push({ text: plain, joint, isOfCapability: capability.test(part) });
    if (match === null) break;
    joint = /^\s[^\s\p{L}]{1,2}\s$/u.test(match[0]) ? match[0] : ': ';
    from = match.index + match[0].length;
  }
  return parts;
}

/** @param marked with a placeholder for each variable */
export function segmentsOf(marked: string): readonly Segment[] {
  const known = new Map<string, Segment>();
  const read = partsOf(withInnerColons(withoutAdvice(withoutAsides(marked)))).map((part) => {
    const segment = known.get(part.text) ?? { ...segmentOf(part.text), ...part };
    known.set(part.text, segment);
    return segment;
  });
  const keys = new Set<string>();
  const distinct = read.reduceRight<Segment[]>((unique, segment) => {
    const key = segment.words.join(' ');
    if (key !== '' && !keys.has(key) && !unique.at(-1)?.text.startsWith(`${segment.text},`)) unique.push(segment);
    keys.add(key);
    return unique;
  }, []);
  const ordered = withoutRestated(distinct.reverse());
  const lastTelling = ordered.findLastIndex(
    ({ isWrapper, isAddress, text }) => !isWrapper && !numberedCode.test(text) && !(isAddress && isBareAddress(text)),
  );
  return lastTelling < 0 ? ordered : withoutEmptyEnd(ordered, lastTelling);
}

/** `code -32600`: what is after it says more, even if it reads like advice. */
const numberedCode = /^code -?\d{1,8}$/;

/** Segments at the end that are searched for identifiers which repeat a message: `Access Denied: AccessDenied`. */
const restatedMax = 8;

/** `unknown venue: KRAKN`, `stale feeds: ETH/USD, BTC/USD`: values are in capitals; names and codes of systems are not. */
const notKnown =
  /\b(?:unknown|unsupported|unrecogni[sz]ed|invalid|illegal|no such|stale|duplicate|unexpected|disallowed) (?:\p{L}{2,20} ){0,2}(?!error|code|response|token)\p{L}{2,20}$/iu;
const values = /^(?!EOF$|NULL$|E[A-Z]{4,}$)[A-Z\d][A-Z\d./-]{1,20}(?:, [A-Z\d][A-Z\d./-]{1,20}){0,60}$/;

function withoutRestated(segments: readonly Segment[]): readonly Segment[] {
  const last = segments.slice(-restatedMax);
  const isRestated = ({ text }: Segment, index: number) =>
    /^[\p{L}_]{6,60}$/u.test(text) &&
    last.some((other, at) => at !== index && other.text.includes(' ') && squashed(other.text).includes(squashed(text)));
  const isValue = ({ text }: Segment, index: number) => values.test(text) && notKnown.test(last[index - 1]?.text ?? '');
  const read = last.map((segment, index) =>
    isRestated(segment, index) || isValue(segment, index) ? { ...segment, weight: 0, isData: true } : segment,
  );
  return [...segments.slice(0, -restatedMax), ...read];
}

/** A request, or a consequence of the fault: neither names the fault. */
const undone =
  /^(?:cannot estimate gas; transaction may fail|(?:the |this )?transaction (?:was |has been |is )?(?:rolled back|aborted)(?=$|[,;])|(?:all )?changes (?:were |have been )?rolled back|roll(?:ed|ing) back|rollback|no changes|aborted(?: \(core dumped\))?$|the statement has been terminated|(?:the |this )?(?:message|event|record|job|task) (?:has been|was|will be|is) (?:ignored|discarded|dropped|skipped|requeued|rejected)\b)/i;
function namesNoFault(text: string): boolean {
  return undone.test(text) || isAdvice(text);
}

/** `failed to send transaction`, `read response`. */
const action = new RegExp(
  `^(?:(?:failed to|unable to|could not|couldn't|cannot|can't|error|failure|while|when) )?(?:${actionVerbs})\\b(?! (?:fail|tim|err|limit|exceed|refus|reject|deni|abort|cancel|too|is|was|has|not|mismatch))[^.,;=()\\d]{0,60}$`,
  'i',
);
/** `eth_call`, `eth_getFilterChanges(…)`; `MongoServerError`; `webhook returned 404`; `404 Not Found`. */
const callers = [
  /^[a-z]{2,12}_[a-z]\w{2,40}(?:\([^()]{0,80}\))?$|^(?:eth|net|debug|trace)_[a-z]\w{2,40} .{1,60}$/,
  /^(?:[\w$]{1,40}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Failed|Failure|Fault|Warning)$/,
  /\b(?:returned|responded|answered|replied|failed|status|http|error)(?: with)?(?: status)?(?: code)?:? [1-5]\d\d$/i,
  /^[1-5]\d\d(?: [\p{L} -]{2,40})?$/u,
  /^(?:bad request|not found|forbidden|unauthorized|conflict|unprocessable entity|service unavailable|(?:internal )?server error)$/i,
  /^(?:fetch failed|.{0,60}\breverted|(?:[\w.]{1,40}: )?request to \S{1,200} failed, reason)$/i,
  /^[a-z][a-z\d_-]{1,20}$/,
  /^[^:]{1,60} failed(?: after …| after […\ue010-\ue018] \w{1,10})?$/,
];

/** `step "settle" failed`, `step load_invoice failed` name no fault. */
const stepFailed =
  /^(?:the )?(?:step|job|task|stage|activity|state|flow|action|workflow|pipeline|handler|phase) \S{1,80} (?:has )?(?:failed|errored|aborted|crashed)$/i;
/** A part of the workflow with its name. */
const place =
  /^(?:(?:step|job|task|stage|adapter|worker|handler) \S{1,60}|(?:[\w-]{1,30} ){1,3}(?:step|job|task|stage|adapter|worker|handler)|(?:while|when) [\w -]{1,60}(?: […\ue010-\ue018])?)$/iu;

const verb = new RegExp(`^(?:${actionVerbs})$`);

/** Retry counters and ids at the very end have no meaning; `internal error` there may be the whole message. */
function withoutEmptyEnd(segments: readonly Segment[], lastTelling: number): readonly Segment[] {
  const isEmpty = ({ text, isWrapper, isAddress }: Segment) =>
    isWrapper ? anyPlaceholder.test(text) || namesNoFault(text) : isAddress && isBareAddress(text);
  const lastFull = segments.findLastIndex((segment) => !isEmpty(segment));
  return segments.slice(0, Math.max(lastFull, lastTelling) + 1);
}

function tidied(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([…\ue010-\ue018]) [%‰]/g, '$1')
    .replace(/ ([,.;:)])/g, '$1')
    .replace(/^[\s.,;:!?|*=/-]{1,20}|[\s.,;:!|*=(-]{1,20}$/g, '')
    .trim();
}

function segmentOf(text: string): Omit<Segment, Exclude<keyof Part, 'text'>> {
  /** `code SlowDown` and `SlowDown` are one. */
  const all = wordsOf(withoutOrder(text).replace(/^code (?=\p{L}{4,60}$)/u, ''));
  const first = all.findIndex((word) => !severityWords.has(word));
  const words = first > 0 ? all.slice(first) : all;
  const distinct = [...new Set(words)];
  const plain = text.includes(nameOpening) ? text.replace(/\ue001[^\ue001\ue002]{0,200}\ue002/g, ' ') : text;
  const besides = plain === text ? all : wordsOf(plain);
  const isWrapping = besides.every((word) => wrapperWords.has(word));
  const subject = plain.includes(' (') ? wordsOf(plain.replace(/(?<=\s)\([^()]{0,400}\)/g, ' ')) : besides;
  const generic = genericNames(plain);
  const sum =
    [...new Set(subject)].reduce((sum, word) => sum + (generic.has(word) ? nameWeight : weightOf(word)), 0) +
    (namesError.test(plain) && generic.size === 0 ? nameWeight : 0) +
    (plain === text ? 0 : 1) +
    (identifiesFault(plain) ? classWeight : 0);
  const isOnlyData = isData(text) || /^code \S{1,60}$/i.test(text) || list.test(text) || exit.test(text);
  const isAction = action.test(text);
  const isStep = stepFailed.test(text) || (isWrapping && plain !== text && besides.length > 0);
  return {
    text,
    words,
    weight: isOnlyData || isBareAddress(text) || stepFailed.test(text) ? 0 : sum,
    isData: isOnlyData,
    names:
      isWrapping || revertOf.test(text)
        ? []
        : (
            text.match(
              /\ue001[^\ue001\ue002]{0,200}\ue002|(?<= (?:for|of|variable|secret|key|parameter) )[A-Z][A-Z\d]{1,30}(?:_[A-Z\d]{1,30}){1,6}\b/g,
            ) ?? []
          ).flatMap(nameParts),
    isWrapper:
      isStep || namesNoFault(text) || /^unknown$/i.test(text) || distinct.every((word) => wrapperWords.has(word)),
    isAddress:
      text.includes('/') && /(?:^|\s)[\p{L}\p{N}…\ue010-\ue018-]+(?:\.[\p{L}…\ue010-\ue018-]+)+\/\S/u.test(text),
    isAction: isAction && !text.includes('/'),
    isCaller: isAction || callers.some((pattern) => pattern.test(text)),
    isPlace: place.test(text),
    isPlainAction: isAction && words.length > 1 && words.every((word) => weightOf(word) < 1 || verb.test(word)),
    isStatus: /^(?:http\s)?[1-5]\d\d\b/i.test(text),
  };
}

const inlineList =
  /(?<=^|\s)[^\s,:=]{1,80}(?:, (?:and |or )?[^\s,:=]{1,80}| (?:and|or) [^\s,:=]{1,80}){1,40}(?=$|, not )/g;

/** The order of names in a list does not matter, and of values not even their number. */
function withoutOrder(text: string): string {
  return text.replace(inlineList, (all) => {
    const items = all.split(/, (?:and |or )?| (?:and|or) /);
    return items.every((item) => /[A-Z\d_./-]/.test(item)) ? ' ' : items.toSorted().join(' ');
  });
}

/** `BANK_KEY, FX_KEY`: names or values whose order and number do not matter. */
const list =
  /^[[(]?(?![A-Z][a-z]+(?:[A-Z][a-z]+)+,)(?=[^,]{0,60}[A-Z\d_./-])[^\s,:=]{1,60}(?:, (?:and )?(?=[^,]{0,60}[A-Z\d_./-])[^\s,:=]{1,60}){1,60}[\])]?$/;
/** A process or command that ended after the fault. */
const exit =
  /^(?:[\w.:"/-]{1,60} ){0,3}(?:exit(?:ed)?|finished|ended|terminated|completed|failed|returned)(?: with)?(?: (?:non-zero )?(?:(?:exit|return) )?(?:status|code)):? -?\d{1,3}$/i;

const selectorText = /\b0x[0-9a-f]{8}\b/i;
/** An identifier alone, as services report faults: `channel_not_found`. */
const identifier = /^\p{L}{2,20}(?:_\p{L}{2,20}){1,6}$/u;
/** Complete, though each word is common. */
const completeMessage =
  /^(?:http: )?server gave http response to https client$|^execution reverted with code \d{1,4}$|^no space left on device$|^too many open files$|^(?:sorry, )?too many (?:connections|clients already)$/i;

function identifiesFault(text: string): boolean {
  if (selectorText.test(text) || completeMessage.test(text)) return true;
  return identifier.test(text) && wordsOf(text.replaceAll('_', ' ')).some((word) => weightOf(word) >= 1);
}

/** `AccessDenied` and `NotFound` name no subject: what was denied or not found is said before. */
function genericNames(text: string): ReadonlySet<string> {
  const names = text.match(/\b[A-Z][a-z]{1,40}(?:[A-Z][a-z]{1,40}){1,8}\b/g) ?? [];
  const isCommon = (part: string) => commonWords.has(part.toLowerCase()) || wrapperWords.has(part.toLowerCase());
  return new Set(
    names
      .filter((name) => (name.match(/[A-Z][a-z]+/g) ?? []).every(isCommon))
      .map((name) => singular(name.toLowerCase())),
  );
}

/** The contract's own words follow: the method that was called is not part of them. */
const revertOf = /\bcontract function\b.{1,120}\breverted with the following reason$/i;

const phraseEnd = /[,;] |(?<=[…\ue010-\ue018]) (?=[\p{L}_]{1,40}[:=])/u;
const namedValue = /^(?:[\p{L}_]{1,40}(?:[:=]\s?|\s))?[\p{L}_]{1,80}[:=]?\s?-?[…\ue010-\ue018]\p{L}{0,5}$/u;
/** `next nonce 44`. */
const namedNumber = /^[a-z]{2,20}(?: [a-z]{2,20})? \ue010$/;
/** `tip needed 7`, `gas tip cap 12`. */
const measure =
  /^(?:\p{L}{1,20} ){0,3}(?:needed|permitted|allowed|required|cap|balance|cost|minimum|maximum|limit|supplied) […\ue010-\ue018]$/u;
/** `received the value 60000 of type 'signedint' but current is none`. */
const difference = /^received (?:the value )?\S{1,60}(?: of type \S{1,60})? but current is \S{1,60}/;
const comparison = /[…\ue010-\ue018]\s?(?:[<>]=?|[!=]=|≤|≥)\s?[…\ue010-\ue018]/;

/** `line 1 column 9 (char 8)`. */
const placeInText =
  /^(?:(?:at )?\(?(?:line|column|col|row|char|character|position|pos|offset|byte)s?:? […\ue010-\ue018]\)?[,;]?\s?){1,4}$/iu;
/** `packet nonce 841 pathway 30101`. */
const statement = /\b(?:is|was|are|were|has|had)\b/i;
const namedNumbers = /^(?:(?:[a-z]\w{0,30} ){1,2}[…\ue010-\ue018](?:->[…\ue010-\ue018])?[,;]?(?: |$)){2,8}$/u;

/** A comparison after these words illustrates the fault that they state: `min relay fee not met, 0 < 110`. */
const judgement =
  /\b(?:\w{0,20}fail\w*|missing|unknown|expired|denied|rejected|reverted|error|reached|not|too|insufficient|below|above|under\w*|over\w*|exceed\w*|must|cannot|invalid|less|more)\b/i;

/** Only named values, as in `have …, want …` or `tx: … state: …`, a comparison, or an address alone: the fault is described before them. */
function isData(text: string): boolean {
  if (comparison.test(text)) return !judgement.test(text);
  if (difference.test(text) || measure.test(text) || placeInText.test(text)) return true;
  if (namedNumbers.test(text) && !judgement.test(text) && !statement.test(text)) return true;
  const phrases = text.split(phraseEnd);
  return phrases.length > 1 ? phrases.every((phrase) => namedValue.test(phrase)) : namedNumber.test(text);
}

function isBareAddress(text: string): boolean {
  return /^[^\s/]{1,160}\/\S{0,400}$/.test(text);
}

const aside =
  /(?<=^|\s)[([](?:[^\s()[\]]{1,40}\s{1,2})?(?:[^\s()[\]]{1,80}\s{0,2})?[…\ue010-\ue018](?:\s{0,2}\S{1,3}\s{1,2}[…\ue010-\ue018]|\s{0,2}\S{1,3})?\s{0,2}[)\]]/gmu;
/** `(missing nodes: cD8XUr, ieEhnc)`. */
const listed = /\s\((?:\p{L}{2,20} ){0,2}\p{L}{2,20}: [^\s,()]{1,60}(?:, [^\s,()]{1,60}){1,40}\)/gu;
/** `at line 1 column 9`, `on line 44`. */
const placeAtEnd =
  /[,;]?\s(?:(?:at|on|near|in) (?=line|row|char|position|offset|byte|column)|(?=line:? \ue010[,;:]? col))(?:(?:line|column|col|row|char|character|position|pos|offset|byte)s?:? \ue010[,;:]?\s?){1,4}(?=$|\n|[:.;)])/gimu;
/** `-> 502 after 435ms`. */
const elapsed = /(?<=\s[1-5]\d\d) (?:after|in) \ue010/g;
/** `[5 log messages]`, `(line 1 column 9)`. */
const counted =
  /\s?[([](?:[…\ue010-\ue018](?:\s\p{L}{2,20}){1,3}|(?:(?:line|column|col|row|position|offset|char|byte):?\s[…\ue010-\ue018],?\s?){2,4})[)\]]/gu;
/** `, LB pick: 0.007s, remote_addr=…` at the end: values that were measured. */
const measured =
  /(?:(?:[,;]\s{0,2}(?:(?:[\p{L}_.-]{1,30}\s){0,5}[\p{L}_.-]{1,30}[:=]\s?|(?:[\p{L}_.-]{1,30}\s){1,3})|\s[\p{L}_.-]{1,40}=)(?:\[[…\ue010-\ue018](?:\/[…\ue010-\ue018])?\]|[…\ue010-\ue018]\p{L}{0,3})){1,30}(?=\s{0,3}(?:$|\n))/gu;
/** `(see https://…)`, `(version 23.8 (official build))`. */
const reference =
  /\s?\((?:see|for more|more info\w*|background on|docs?|version|build)\b[^()\n]{0,200}(?:\([^()\n]{0,80}\)[^()\n]{0,80})?\)/gi;
/** `database is locked (SQLITE_BUSY)`, `… (estimateGas)`. */
const constant =
  / \((?:[A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){1,6}|[a-z]{2,20}(?:[A-Z][a-z]{1,20}){1,3}|(?:[A-Z][a-z]{1,20}){1,4}(?:Error|Exception))\)(?=\s{0,3}(?:$|[\n:]))/g;
/** `id=7 pri=0.04 epo=0`: values beside a message. */
const valueRun = /(?:(?<![^\s,;{(])(?:[\p{L}_.]{1,40}=)?\{?[\p{L}_.]{1,40}=[…\ue010-\ue018][},;)]{0,2}\s?){3,40}/gu;
const attemptsInBrackets = /\s?\((?:attempt|retry|try) […\ue010-\ue018][^()\n]{0,100}\)/gi;
const attempts =
  /[,;]?\s{0,2}\b(?:on |at )?(?:attempt|retry|try|retries)\b\s{0,2}(?:#|no\.?|number)?\s{0,2}[…\ue010-\ue018](?:\s{0,2}(?:of|\/|out of)\s{0,2}[…\ue010-\ue018])?/gi;
const afterAttempts = /\bafter […\ue010-\ue018] (?:more )?(?:attempts?|retries|retry|tries|try|times)\b/gi;
const nextAttempt =
  /[,;]?\s{0,2}\b(?:will )?(?:retry|retrying|retries|next|trying|try)(?: again)?(?: in| after| at)?:? […\ue010-\ue018]/gi;
const named =
  '(?:x[-_ ]?)?(?:request|req|trace|span|correlation|session|execution|invocation|run|job|task|event|operation|host|client|ray|workflow|activity)[-_ ]?(?:id|uuid|ref|number)\\b["\']?\\s{0,2}[:=#]?\\s{0,2}[…\ue010-\ue018]';
const idAfterComma = new RegExp(`[,;|]\\s{0,2}(?:with |for )?${named}`, 'gi');
const ids =
  /(?:[\s.,](?:trace|correlation|request|activity|host)[ _-]?id:? ?[…\ue010-\ue018]|[\s,]timestamp:? ?[…\ue010-\ue018](?: ?[…\ue010-\ue018])?){1,6}(?=\s{0,2}(?:[)\].,;]|$))/gim;
const idAtEnd = new RegExp(`\\s(?:with |for )?${named}(?=\\s{0,2}(?:[)\\].,;]|$))`, 'gim');
const repeated = /(?<![\p{L}…\ue010-\ue018])([…\ue010-\ue018])(?:[\s,/x×.-]{0,3}[…\ue010-\ue018]){1,200}/gu;

/** Named values after a sentence: `. Expected nonce: 88; got: 7`. */
const valuesAfter =
  /(?<=[\p{L}…\ue010-\ue018])\. \p{Lu}[\p{L} ]{1,40}: […\ue010-\ue018](?: \p{L}{1,5})?(?:[;,] [\p{L} ]{1,30}: ?[…\ue010-\ue018])*(?=\.?(?:$|\n| \p{Lu}))/gu;

/** Brackets with one value and at most one word before it; counters of attempts; ids of the request. */
export function withoutAsides(text: string): string {
  if (!anyPlaceholder.test(text)) return text.replace(reference, '').replace(constant, '');
  return [
    reference,
    constant,
    valuesAfter,
    valueRun,
    attemptsInBrackets,
    aside,
    listed,
    elapsed,
    counted,
    placeAtEnd,
    measured,
    attempts,
    afterAttempts,
    nextAttempt,
    ids,
    idAfterComma,
    idAtEnd,
  ]
    .reduce((left, pattern) => left.replace(pattern, ' '), text)
    .replace(repeated, '$1');
}
