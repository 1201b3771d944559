/** Masks secrets in outside text by their shapes. It knows no secret; hashes, addresses and ids stay readable. */
import { clean } from './clean.ts';

type Shape = {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Stands in every text that the pattern could match, and is found sooner. */
  readonly hint: RegExp;
};

/** Each pattern captures what to keep in front (optional) and the secret in the group `secret`; all are linear in the text. */
const shapes: readonly Shape[] = [
  { kind: 'Slack token', hint: /xox|xapp/, pattern: /(?<secret>\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{6,255})/g },
  {
    kind: 'Slack webhook',
    hint: /hooks\.slack/,
    pattern: /(?<keep>https:\/\/hooks\.slack(?:-gov)?\.com\/)(?<secret>[A-Za-z]{1,20}\/[A-Za-z0-9/]{8,200})/g,
  },
  {
    kind: 'GitHub token',
    hint: /gh[pousr]_|github_pat_/,
    pattern: /(?<secret>\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}))/g,
  },
  { kind: 'AWS key', hint: /AKIA|ASIA/, pattern: /(?<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)/g },
  { kind: 'Google key', hint: /AIza/, pattern: /(?<secret>\bAIza[A-Za-z0-9_-]{35})/g },
  { kind: 'API key', hint: /[sprw]k_/, pattern: /(?<secret>\b(?:sk|pk|rk|wk)_(?:live|test)_[A-Za-z0-9]{8,255})/g },
  { kind: 'API key', hint: /wfq_|sk-/, pattern: /(?<secret>\b(?:wfq_|sk-(?:proj-|ant-)?)[A-Za-z0-9_-]{20,255})/g },
  {
    kind: 'JSON web token',
    hint: /eyJ/,
    pattern: /(?<secret>\beyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,1000})/g,
  },
  {
    kind: 'credential',
    hint: /apikey|bearer|basic|token/i,
    pattern:
      /(?<keep>\b(?:apikey|bearer|basic|token)\s{1,4})(?<secret>(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{12,4000})/gi,
  },
  {
    kind: 'password',
    hint: /:\/\//,
    pattern: /(?<keep>\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)(?<secret>[^\s/@]{1,200})(?=@)/gi,
  },
  {
    kind: 'cookie',
    hint: /cookie/i,
    pattern: /(?<keep>\b(?:set-)?cookie:\s{0,4}[^\s=;]{1,100}=)(?<secret>[^\s;]{6,4000})/gi,
  },
  {
    kind: 'secret',
    hint: /pass|pwd|secret|key|token/i,
    pattern:
      /(?<keep>\b[a-z0-9_.-]{0,40}(?:password|passwd|pwd|secret|api_?key|apikey|access_?key|private_?key|auth_?token|access_?token|refresh_?token|client_?secret)["']?\s{0,3}[:=]\s{0,3}["']?)(?<secret>[^\s"',;&]{6,4000})/gi,
  },
  {
    kind: 'recovery phrase',
    hint: /mnemonic|seed|recovery/i,
    pattern:
      /(?<keep>\b(?:mnemonic|seed(?: phrase)?|recovery phrase)["']?\s{0,3}[:=]\s{0,3}["']?)(?<secret>[a-z]{3,8}(?:\s[a-z]{3,8}){11,23})/gi,
  },
];

/** Most texts hold nothing that looks like one: that is found out in one walk. */
const anyHint = new RegExp([...shapes.map(({ hint }) => hint.source), '-----BEGIN'].join('|'), 'i');

/** What stands for a text that could not be checked. */
const withheld = '[text withheld: it could not be checked for secrets]';

/** What `mask` and the private keys leave behind. */
const maskMark = new RegExp(
  `\\[(${[...new Set(shapes.map(({ kind }) => kind)), 'private key'].join('|')})(?: …[^\\]\\s]{4})?\\]`,
  'g',
);

/** Cleaned and masked, the first thing that happens to a text from outside. Fails closed: text that cannot be masked is withheld. */
export function safeText(text: string): string {
  try {
    return redact(clean(text));
  } catch {
    return withheld;
  }
}

/** As `safeText`, one value masked as any other of its kind: for texts that are compared. */
export function comparableText(text: string): string {
  return safeText(text).replace(maskMark, '[$1]');
}

/** @returns the text with every secret of a known shape masked; the last four characters stay where there are more than 20 */
export function redact(text: string): string {
  if (!anyHint.test(text)) return text;
  let result = redactPrivateKeys(text);
  for (const { kind, pattern, hint } of shapes) {
    if (!hint.test(result)) continue;
    result = result.replace(pattern, (...match) => {
      const groups = match.at(-1) as { readonly keep?: string; readonly secret: string };
      return groups.secret.startsWith('[') ? match[0] : `${groups.keep ?? ''}${mask(kind, groups.secret)}`;
    });
  }
  return result;
}

/** How many values in the text were masked by `safeText`: one that stands there twice is one, as far as its end tells. A text that was withheld is one. */
export function maskedCount(safe: string): number {
  const marks = safe.match(maskMark) ?? [];
  const told = new Set(marks.map((mark, index) => (mark.includes(' …') ? mark : index)));
  return told.size + (safe.split(withheld).length - 1);
}

/** Whether masking would change the text. */
export function holdsSecret(text: string): boolean {
  return redact(text) !== text;
}

function mask(kind: string, secret: string): string {
  return secret.length > 20 ? `[${kind} …${secret.slice(-4)}]` : `[${kind}]`;
}

const keyHeader = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keyFooter = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key without its end is masked to the end of the text: the rest is the key. */
function redactPrivateKeys(text: string): string {
  let result = '';
  let position = 0;
  keyHeader.lastIndex = 0;
  for (let header = keyHeader.exec(text); header !== null; header = keyHeader.exec(text)) {
    result += `${text.slice(position, header.index)}[private key]`;
    keyFooter.lastIndex = keyHeader.lastIndex;
    const footer = keyFooter.exec(text);
    position = footer === null ? text.length : keyFooter.lastIndex;
    keyHeader.lastIndex = position;
  }
  return result + text.slice(position);
}
