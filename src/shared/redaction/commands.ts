/** Finds passwords in command lines whose flags name none: `curl -u bob:…`, `mysql -p…`, `docker login -p …`. */
import type { Finding } from './finding.ts';
import { isPlaceholder } from './judge.ts';
import { markEnd } from './marks.ts';

export const flagHints = /\s(?:-[aupUw]|--user|--proxy-user|--auth|-[A-Za-z]?b[A-Za-z]?(?=\s))/g;

/** How far in front of a flag its command is looked for. */
const lineUnitsMax = 300;

const userAndPassword = /[\s=]?["']?[^\s:"'\\]{1,100}:([^\s"'\\]{1,200})/y;
const separate = /[\s=]["']?([^\s"'\\-][^\s"'\\]{0,200})/y;
const attached = /["']?([^\s"'\\]{1,200})/y;

/** Each with its secret in the first group. */
const flags: readonly { readonly command: RegExp; readonly flag: RegExp; readonly value: RegExp }[] = [
  { command: /\b(?:curl|wget|https?ie)\s/, flag: /^(?:-[uUa]|--user|--proxy-user|--auth)$/, value: userAndPassword },
  { command: /\bsmbclient\s/, flag: /^-U$/, value: /[\s=]?["']?[^\s%"']{1,100}%([^\s"'\\]{1,200})/y },
  { command: /\b(?:sshpass|mongo[a-z]*|login)\s/, flag: /^-p$/, value: separate },
  { command: /\b(?:sshpass|mysql[a-z]*|mariadb[a-z-]*)\s/, flag: /^-p$/, value: attached },
  { command: /\bredis-cli\s/, flag: /^-a$/, value: separate },
  { command: /\bldap[a-z]{4,9}\s/, flag: /^-w$/, value: separate },
  { command: /\bhtpasswd\s/, flag: /^-[A-Za-z]?b/, value: /\s+\S{1,100}\s+\S{1,100}\s+["']?([^\s"'\\]{1,200})/y },
];

export function findInCommand(text: string, { index, 0: hint }: RegExpExecArray): readonly Finding[] {
  const line = text.slice(Math.max(0, index - lineUnitsMax), index + 1);
  const command = line.slice(line.lastIndexOf('\n', line.length - 2) + 1);
  for (const { command: wanted, flag, value } of flags) {
    if (!flag.test(hint.trim()) || !wanted.test(command)) continue;
    value.lastIndex = index + hint.length;
    const secret = value.exec(text)?.[1];
    if (secret === undefined || isPlaceholder(secret)) continue;
    const start = value.lastIndex - secret.length;
    if (markEnd(text, start) === undefined) return [{ kind: 'password', start, end: value.lastIndex }];
  }
  return [];
}
