/** Finds secrets where a protocol or a tool expects them: `AUTH`, `PASS`, `requirepass`, Oracle's `user/password@`, `.pgpass`. */
import { englishness, isKeyLike, isPlaceholder, isSecretValue, isTightSecret } from './judge.ts';
import { markEnd, type SecretMatch } from './marks.ts';

type Place = {
  /** Sticky; the first group is in front of the secret, the second is the secret. */
  readonly pattern: RegExp;
  readonly isSecret: (written: string) => boolean;
};

const isBase64 = (written: string) => /[A-Z\d=]/.test(written.slice(1));
const isAny = (written: string) =>
  isSecretValue(written, 'strong', false) && (!/^[a-z]+$/i.test(written) || englishness(written) < 0.6);

const base64 = '([A-Za-z0-9+/=]{8,2000})(?![A-Za-z0-9+/=])';
const notAnAnswer = '(?!(?:ok|failed|error|denied|from|for|as|by|called)\\b)';

const places: readonly Place[] = [
  // SMTP and IMAP.
  {
    pattern: new RegExp(
      `(AUTH(?:ENTICATE)? (?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5|NTLM)[\\s\\S]{0,40}?[\\sn])${base64}`,
      'y',
    ),
    isSecret: isBase64,
  },
  // The prompt `Password:` of SMTP.
  { pattern: new RegExp(`(UGFzc3dvcmQ6[\\s\\S]{0,12}?[\\s:n])${base64}`, 'y'), isSecret: isBase64 },
  {
    pattern: new RegExp(`(LOGIN "?${notAnAnswer}[\\w.@+-]{1,80}"? "?)([^\\s"]{4,200})(?="?\\s*(?:$|[\\r\\n"]))`, 'y'),
    isSecret: isTightSecret,
  },
  { pattern: /(login "[\w.@+-]{1,80}" ")([^"\s]{4,200})(?=")/iy, isSecret: isAny },
  // Redis.
  {
    pattern: new RegExp(`(AUTH["']? (?:["']?${notAnAnswer}[\\w.-]{1,40}["']? )?["']?)([^\\s"'\\\\=]{6,300})`, 'y'),
    isSecret: isTightSecret,
  },
  {
    pattern: /(auth\\?["'],?\s?(?:\\?["']?args\\?["']?\s?:\s?\[\s?)?\\?["'])([^\s"'\\]{6,300})/iy,
    isSecret: isTightSecret,
  },
  {
    pattern: /((?:requirepass|masterauth|sentinel auth-pass \S{1,40})["']? ["']?)([^\s"'\\]{4,300})/iy,
    isSecret: isAny,
  },
  { pattern: /((?:SETUSER|user) \S{1,60} (?:on |reset |nopass ){0,3}>)([^\s"'\\]{4,300})/iy, isSecret: isAny },
  // Commands that take the password as a word.
  {
    pattern:
      /((?:rabbitmqctl (?:add_user|change_password) \S{1,60}|radtest \S{1,60}|net use .{1,100}?\/user:\S{1,60}|(?:cargo|wandb|pulumi|railway|doppler|huggingface-cli) login|(?:snyk|hf) auth(?: login)?|ConvertTo-SecureString(?: -String)?) ["']?)([^\s"']{4,200})/iy,
    isSecret: isTightSecret,
  },
  // Schemes of their own.
  { pattern: /((?:SSWS|GenieKey) )([\w-]{20,200})/y, isSecret: isKeyLike },
  // `auth=('user', 'password')`.
  {
    pattern:
      /((?:auth|login|credentials?)["']?\s?[=:]?\s?\(\s?\\*["'][^"'\n]{1,80}["'],\s?\\*["'])([^"'\n\\]{4,100})(?=\\*["'])/iy,
    isSecret: isAny,
  },
  // FTP, POP3 and IRC.
  { pattern: /(PASS )([^\s"'\\]{4,200})(?=\s*(?:$|[\r\n"']|\\[rn]))/y, isSecret: isTightSecret },
  // SNMP.
  { pattern: /(community(?: string)? ["']?)([^\s"'=:]{4,40})/iy, isSecret: isTightSecret },
  // A code that lets one person in once.
  {
    pattern: /(code["']?(?: is| was|:|=)? ?["']?)(\d{6,8}|\d{4}-\d{4})(?![\w-])/iy,
    isSecret: () => true,
  },
  // Oracle.
  {
    pattern:
      /((?:sqlplus|rman|expdp|impdp|exp|imp|sqlldr|sqlcl|conn(?:ect)?(?: string)?|userid|thin|oci|target)[\s:="'(]{1,4}(?:-\S{1,10} |target |["'])?[\w$.-]{1,40}\/)([^\s/@]{4,100}|"[^"\n]{4,100}")(?=@)/iy,
    isSecret: isAny,
  },
  {
    pattern: /((?:sqlplus|expdp|impdp|sqlldr) (?:-\S{1,10} )?[\w$.-]{1,40}\/)([^\s/@]{4,100})(?=\s|$)/iy,
    isSecret: isAny,
  },
];

export const protocolHints =
  /(?<=\bsnmp[ \w-]{0,20} )community(?= )|(?<=\b(?:verification|one-time|backup|recovery|security|login|2fa|mfa|otp|sms|authentication) )code(?=[ :="'])|\b(?:AUTH|AUTHENTICATE|LOGIN|login|PASS|requirepass|masterauth|REQUIREPASS|MASTERAUTH|auth-pass|sqlplus|rman|expdp|impdp|exp|imp|sqlldr|sqlcl|conn|connect|CONNECT|userid|thin|oci|target)(?=["']?[ :=(])|auth\\?["'](?=[ ,])|\b(?:SETUSER|user)(?= \S{1,60} (?:on |reset |nopass ){0,3}>)|(?:auth|login|credentials?)(?=["']?\s?[=:]?\s?\()|UGFzc3dvcmQ6|\b(?:SSWS|GenieKey|rabbitmqctl|radtest|net use|cargo|wandb|pulumi|railway|doppler|huggingface-cli|snyk|hf|ConvertTo-SecureString) /g;

export function findInProtocol(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
  for (const { pattern, isSecret } of places) {
    pattern.lastIndex = index;
    const [whole = '', before = '', secret = ''] = pattern.exec(text) ?? [];
    const start = index + before.length;
    if (whole === '' || !isSecret(secret) || isPlaceholder(secret) || markEnd(text, start) !== undefined) continue;
    return [{ kind: 'password', start, end: start + secret.length }];
  }
  return [];
}

/** `user:password@tcp(…)` of Go's drivers, `user:password@host:5432` without a scheme. */
export const hostHints = /@(?=(?:tcp|unix|udp)\(|[A-Za-z0-9.-]{1,80}:\d{2,5}(?![\d.]))/g;
const userAndPassword = /(?:^|[\s"'`=(,])[\w.-]{1,64}:([^\s:@"'`/]{4,100})$/;

export function findBeforeHost(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
  const secret = userAndPassword.exec(text.slice(Math.max(0, index - 170), index))?.[1];
  const start = index - (secret?.length ?? 0);
  const isSecret =
    secret !== undefined && !isPlaceholder(secret) && isTightSecret(secret) && markEnd(text, start) === undefined;
  return isSecret ? [{ kind: 'password', start, end: index }] : [];
}

/** A line of `.pgpass`: host, port, database, user, password. */
export const passwordFileHints = /^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,64}:[\w.*-]{1,64}:(?=[^\s:])/gm;
const fileValue = /[^\s:]{4,200}(?=\s|$)/y;

export function findInPasswordFile(text: string, { index, 0: before }: RegExpExecArray): readonly SecretMatch[] {
  const start = index + before.length;
  fileValue.lastIndex = start;
  const secret = fileValue.exec(text)?.[0];
  if (secret === undefined || !isTightSecret(secret) || markEnd(text, start) !== undefined) return [];
  return [{ kind: 'password', start, end: start + secret.length }];
}
