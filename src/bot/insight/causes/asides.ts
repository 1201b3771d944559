/** Removes what is beside the fault: values in brackets, counters of attempts, ids of the request, values that were measured. */
import { anyPlaceholder } from './placeholders.ts';

const aside =
  /(?<=^|\s)[([](?:[^\s()[\]]{1,40}\s{1,2})?(?:[^\s()[\]]{1,80}\s{0,2})?[…\ue010-\ue018](?:\s{0,2}\S{1,3}\s{1,2}[…\ue010-\ue018]|\s{0,2}\S{1,3})?\s{0,2}[)\]]/gmu;
/** `[5 log messages]`, `(line 1 column 9)`. */
const counted =
  /\s?[([](?:[…\ue010-\ue018](?:\s\p{L}{2,20}){1,3}|(?:(?:line|column|col|row|position|offset|char|byte):?\s[…\ue010-\ue018],?\s?){2,4})[)\]]/gu;
/** `, LB pick: 0.007s, remote_addr=…` at the end: values that were measured. */
const measured =
  /(?:[,;]\s{0,2}[\p{L}_][\p{L}_ .-]{0,40}(?:[:=]\s?)?[…\ue010-\ue018]\p{L}{0,3}){1,30}(?=\s{0,3}(?:$|\n))/gu;
/** `(see https://…)`, `(version 23.8 (official build))`. */
const reference =
  /\s?\((?:see|for more|more info\w*|background on|docs?|version|build)\b[^()\n]{0,200}(?:\([^()\n]{0,80}\)[^()\n]{0,80})?\)/gi;
/** `database is locked (SQLITE_BUSY)`. */
const constant = / \([A-Z][A-Z\d]{1,20}(?:_[A-Z\d]{1,20}){1,6}\)(?=$|[\n:])/g;
/** `id=7 pri=0.04 epo=0`: values beside a message. */
const valueRun = /(?:(?<![^\s,;{(])(?:[\p{L}_.]{1,40}=)?\{?[\p{L}_.]{1,40}=[…\ue010-\ue018][},;)]{0,2}\s?){3,40}/gu;
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
    aside,
    counted,
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
