/** Removes from outside text what can hide, reorder or overwrite what a person reads. */

const escapeOrCsi = String.raw`[\u001b\u009b]`;
/** Operating system commands (titles, links) up to their end, then every other sequence of ECMA-48. */
const terminalSequences = new RegExp(
  String.raw`\u001b\][^\u0007\u001b]{0,2000}(?:\u0007|\u001b\\)?|${escapeOrCsi}\[?[0-?]{0,32}[ -/]{0,8}[@-~]?`,
  'g',
);
/** Control and format characters but line feed, tab and joiner; and the two fillers that show nothing. */
const invisible = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\u115f\u1160\u3164]/gu;
const lineBreaks = /\r\n?|[\u0085\u2028\u2029]/g;
/** A joiner is kept between letters of a script that needs it and between the parts of an emoji. */
const loneJoiners = /(?<![\p{Emoji}\p{M}\p{L}])\u200d|\u200d(?![\p{Emoji}\p{L}])|(?<=[a-z0-9])\u200d/giu;
const stackedMarks = /(\p{M}{4})\p{M}+/gu;
/** Most texts hold nothing else, and none of these is ever touched. */
const harmless = /^[\n\x20-\x7e]*$/;

/**
 * Strips terminal sequences, control, bidirectional and zero-width characters (a joiner inside an emoji or a word stays),
 * marks stacked more than four high and lone surrogates; every kind of line break becomes one `\n`. Idempotent.
 */
export function sanitizeText(text: string): string {
  if (harmless.test(text)) return text;
  return text
    .toWellFormed()
    .replace(lineBreaks, '\n')
    .replace(terminalSequences, '')
    .replace(invisible, '')
    .replace(loneJoiners, '')
    .replace(stackedMarks, '$1')
    .normalize('NFC');
}
