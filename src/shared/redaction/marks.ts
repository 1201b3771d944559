/** Marks replace secrets: `[kind …last4]`. Writes, recognises and counts them. */

const kinds = [
  'API key',
  'AWS key',
  'GitHub token',
  'GitLab token',
  'Google key',
  'JSON web token',
  'Slack token',
  'Slack webhook',
  'cookie',
  'credential',
  'npm token',
  'password',
  'private key',
  'recovery phrase',
  'secret',
  'webhook',
] as const;

export type SecretKind = (typeof kinds)[number];

/** A stretch of text that has to be masked. */
export type SecretMatch = {
  readonly kind: SecretKind;
  /** Units from the start of the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
};

/** Checks each hit of a pattern. */
export type Finder = {
  readonly hints: RegExp;
  readonly find: (text: string, hit: RegExpExecArray) => readonly SecretMatch[];
  /** Part of every hit: a text without it is not searched. */
  readonly needs?: 'longWord' | 'otherScript' | 'lineBreak';
};

const markSource = `\\[(${kinds.join('|')})(?: …[^\\]\\s]{4})?\\]`;
const anyMark = new RegExp(markSource, 'g');
const markHere = new RegExp(markSource, 'y');

/** Replaces a text that could not be checked. */
export const withheld = '[text withheld: it could not be checked for secrets]';

/** Keeps the last four characters of a secret with more than 20. */
export function markOf(kind: SecretKind, secret: string): string {
  return secret.length > 20 && !/[\]\s]/.test(secret.slice(-4)) ? `[${kind} …${secret.slice(-4)}]` : `[${kind}]`;
}

/** @returns the end of the mark that begins at this index; undefined if none does */
export function markEnd(text: string, at: number): number | undefined {
  markHere.lastIndex = at;
  return markHere.test(text) ? markHere.lastIndex : undefined;
}

/** @returns the text with equal marks for each kind */
export function withoutEnds(masked: string): string {
  return masked.replace(anyMark, '[$1]');
}

/** Counts masked values: two marks with the same end are one value. A text that was withheld is one. */
export function countMarks(masked: string): number {
  const marks = masked.match(anyMark) ?? [];
  const distinct = new Set(marks.map((mark, index) => (mark.includes(' …') ? mark : index)));
  return distinct.size + (masked.split(withheld).length - 1);
}
