/** Sentences of a line: the ones that say what went wrong, without those that advise, explain or ask. */
import { weightOfText } from './words.ts';

/** The end of a sentence; the next one begins with a letter, a quotation or a bracket. */
const sentenceEnd = /(?<=[\p{L}\p{N})"'’\]\ue002…\ue010-\ue018] {0,2}[.!?]) {1,3}(?=["'“(\ue001]?[\p{L}])/u;
/** Verbs of advice. */
const imperatives =
  'add|adjust|allow|attach|avoid|catch|change|check|choose|configure|confirm|consider|consult|contact|convert|create|decrease|define|delete|deploy|disable|double[- ]check|enable|ensure|extend|fix|follow|free|fund|generate|give|grant|handle|include|increase|inspect|install|keep|log in|look|lower|make|migrate|move|pass|pick|provide|raise|reauth\\w{1,9}|rebuild|reconnect|recreate|redeploy|reduce|refer|refresh|regenerate|register|reinstall|reissue|reload|remove|rename|renew|reopen|replace|rerun|re-\\w{2,12}|resend|reset|restart|restore|resubmit|resync|retry|review|rotate|run|see|select|set|sign in|simplify|specify|split|stop|supply|switch|top up|try|unlock|update|upgrade|use|verify|view|visit|wait|wrap';

const saysWhatToDo = `please|kindly|if|unless|for (?:more|further|help|details|information|assistance)|more (?:info|details|information)|to (?:fix|resolve|avoid|learn|continue|prevent|proceed) (?:this|it|the|more)|(?:did|have|are|do|can|could|perhaps|maybe) you|is (?:it|your)|perhaps|maybe|possibl[ye]|(?:this|it|that) (?:\\w{1,20} ){0,2}(?:means?|usually|typically|often|may|might|can|could|happens?|indicates?|suggests?)|alternatively|in order to|we (?:recommend|suggest)|you (?:(?:may|might|can|could|must|should|will)(?: also)?(?: want| need)?(?: to)?|need to|want to) (?:${imperatives})`;
const object = `(?: (?:a|an|the|your|that|this|these|it|its|all|any|again|to|using|with|for|in|on|or|sure|later|whether|if|both|only|one|and|from|by|at|https?|up|out|more|less|you|\\w{3,20}ing)\\b|ing\\b)`;

/** A line or a segment that begins so says what to do, asks, or points at documents. */
const request = new RegExp(`^["'“(]?(?:${saysWhatToDo}|(?:${imperatives})(?=${object}))(?![\\w-])`, 'i');
/** After the end of a sentence a verb alone is enough. */
const opener = new RegExp(
  `^["'“(]?(?:${saysWhatToDo}|(?:do not|don't|don’t|hint|tip|docs?|see|${imperatives}))(?![\\w-])(?! (?:fail|tim|err|reject|deni|exceed|is |was |has |not |limit))`,
  'i',
);
/** Words of an explanation: it speaks of the reader, or is not sure. */
const hedge =
  /\b(?:you|your|please|make sure|ensure|usually|typically|often|most likely|likely|probably|perhaps|maybe|(?:this|it|that|which) (?:\w{1,20} ){0,2}(?:may|might|can|could|means?|indicates?|happens?|occurs?|suggests?)|may (?:be|have|indicate)|might (?:be|have)|should (?:be|have|not)|could be|due to any of)\b/i;
/** A sentence that begins so goes on with the fault. */
const goesOn =
  /^(?:\p{L}{1,20} ){0,3}(?:error|exception|reason|cause|caused by|message|details?|description|status|code|response|fault|failure)(?: code)?\b(?:[:=]| is | was )/iu;
const statesValues = /^(?:got|received|expected|because)\b|^[\p{L} ]{1,40}: /iu;

/** @returns true for a line or a segment that says what to do, asks, or points at documents */
export function isAdvice(text: string): boolean {
  return request.test(text) || /\?$/.test(text);
}

const weightOfFault = 1;
const weightOfWhole = 2;

/** @param marked lines with a placeholder for each variable @returns the lines without advice and explanations after the fault; linear */
export function withoutAdvice(marked: string): string {
  if (!/[.!?;,()\n]/.test(marked)) return marked;
  const kept: string[] = [];
  for (const line of marked.split('\n')) {
    if (kept.length > 0 && isAdvice(line.trim())) continue;
    kept.push(faultOf(line));
  }
  return kept.join('\n');
}

/** `An error occurred while executing the state 'Charge'`: the next sentence says which. */
const occurred =
  /^(?:[\w.]{1,60}: )?(?:an?|the following) (?:\w{1,20} ){0,2}(?:error|exception|failure|problem) (?:has |was )?(?:occurred|encountered|raised)\b[^:]{0,300}$/i;

function faultOf(line: string): string {
  const sentences = line.replace(clause, '').replace(followUp, '').split(sentenceEnd);
  const [first = '', ...rest] =
    occurred.test(sentences[0] ?? '') && sentences.length > 1 ? sentences.slice(1) : sentences;
  const kept = [first];
  let weight = weightOfEnd(first);
  let isOver = false;
  for (const sentence of rest) {
    if (goesOn.test(sentence) || (statesValues.test(sentence) && !opener.test(sentence))) isOver = false;
    else if (isBesides(sentence, weight)) isOver = true;
    if (isOver) continue;
    kept.push(sentence);
    weight = Math.max(weight, weightOfEnd(sentence));
  }
  return kept.join(' ');
}

function isBesides(sentence: string, weight: number): boolean {
  if (opener.test(sentence) || sentence.endsWith('?') || weight >= weightOfWhole) return true;
  return weight >= weightOfFault && hedge.test(sentence);
}

/** `; try restarting transaction`, `, please try again later`. */
const clause = new RegExp(
  `(?:;|\\s[-–—]|,(?= (?:please|try|make sure|ensure|consider|consult|check|refer|retry|see|visit|wait)\\b)) (?:please|(?<=; )(?:if|see|check)|(?:${imperatives})(?=${object}))\\b(?:[^\\n.;:]|\\.(?=\\w)){0,200}(?=\\.?(?:$|\\n)|\\. )`,
  'gi',
);

/** Reactions to the fault, and faults that came of it: `; giving up`, `; exit status 1`, `; rollback also failed: …`. */
const followUp =
  /(?:[;,] (?:(?:now |then )?(?:abort|exit|skipp|stopp|retry|ignor|terminat|giving up|rolled back|shutting down|rolling back)(?:ing)?\b|(?:\w{2,20} )?exit(?:ed)?(?: with)? (?:exit )?(?:status|code)\b)[^\n:]{0,100}|; (?:also|additionally|(?:the )?(?:rollback|cleanup|clean-up) (?:also )?failed)\b[^\n]{0,300}|\s\((?:also|additionally|exit (?:status|code))\b[^()\n]{0,200}\))$/i;

/** How specific the end of a sentence is: what is before the last colon may be a caller. */
function weightOfEnd(sentence: string): number {
  return weightOfText(sentence.slice(sentence.lastIndexOf(': ') + 1));
}
