/** Finds secrets where a protocol or a tool expects them: `AUTH`, `PASS`, Oracle's `user/password@`, `.pgpass`, flags of commands. */
import {
  englishness,
  isKeyLike,
  isPasswordLike,
  isPlaceholder,
  isRandomToken,
  isSecretValue,
  isTightSecret,
} from './judge.ts';
import { type Finder, markEnd, type SecretMatch } from './marks.ts';

type Judge = (written: string) => boolean;

const isBase64: Judge = (written) => /[A-Z\d=]/.test(written.slice(1));
const isAny: Judge = (written) =>
  isSecretValue(written, 'strong', false) &&
  (!/^[a-z]+$/i.test(written) || englishness(written) < 0.6 || isTightSecret(written));

/** Sticky, by what tells a secret from a word there. The first group is in front of the secret, the second is the secret. */
const places: readonly (readonly [isSecret: Judge, patterns: readonly RegExp[]])[] = [
  [
    isBase64,
    [
      // SMTP and IMAP, and the prompt `Password:` of SMTP.
      /(AUTH(?:ENTICATE)? (?:PLAIN|LOGIN|XOAUTH2|OAUTHBEARER|CRAM-MD5|NTLM)[\s\S]{0,40}?[\sn])([A-Za-z0-9+/=]{8,2000})(?![A-Za-z0-9+/=])/y,
      /(UGFzc3dvcmQ6[\s\S]{0,12}?[\s:n])([A-Za-z0-9+/=]{8,2000})(?![A-Za-z0-9+/=])/y,
    ],
  ],
  [
    isTightSecret,
    [
      // IMAP, Redis, FTP, POP3, IRC and SNMP.
      /(LOGIN "?(?!(?:ok|failed|error|denied|from|for|as|by|called)\b)[\w.@+-]{1,80}"? "?)([^\s"]{4,200})(?="?\s*(?:$|[\r\n"]))/y,
      /(AUTH["']? (?:["']?(?!(?:ok|failed|error|denied|from|for|as|by|called)\b)[\w.-]{1,40}["']? )?["']?)([^\s"'\\=]{6,300})/y,
      /(auth\\?["'],?\s?(?:\\?["']?args\\?["']?\s?:\s?\[\s?)?\\?["'])([^\s"'\\]{6,300})/iy,
      /(send(?:line)? (?:-- )?\\*["'])([^\s"'\\]{6,100})(?=\\+[rn])/y,
      /([?&]u(?:ser(?:name)?)?=[^&\s]{1,60}&p=)([^&\s"']{4,100})/y,
      /(::add-mask::|task\.setvariable [^\]\n]{0,120}\]|auth-user-pass[>:]?\s{1,4}\S{1,60}(?: \/)?\s{1,4})([^\s"']{6,200})/y,
      /(WIFI:(?:[TSHRE]:[^;\n]{0,64};){0,4}P:)([^;\n]{6,64})(?=;)/y,
      /(<\((?:echo|printf) (?:-\w )?["']?|<<< ?["']?|PASS )([^\s"'\\]{4,200})(?=\s*(?:$|[\r\n"')]|\\[rn]))/y,
      /(community(?: string)? ["']?)([^\s"'=:]{4,40})/iy,
      // A line of `.pgpass`: host, port, database, user, password.
      /(:(?:\d{2,5}|\*):[a-z*][\w*-]{0,63}:[a-z*][\w.*-]{0,63}:)([^\s:]{4,200})(?=\s|$)/y,
      // Commands that take the password as a word.
      /((?:rabbitmqctl (?:add_user|change_password) \S{1,60}|radtest \S{1,60}|net use(?: .{1,100}?\/user:\S{1,60}| \S{1,2} \S{1,80})|net user \S{1,60}|mc (?:alias|config host) (?:set|add) \S{1,60} \S{1,200} \S{1,60}|wallet import|wpa_passphrase \S{1,60}|openssl passwd -\w{1,6}|(?:tacacs-server|radius-server|isakmp)(?: [\w.-]{1,40}){0,6}? key(?: [07])?|db2 connect to \S{1,60} user \S{1,60} using|(?:cargo|wandb|pulumi|railway|doppler|huggingface-cli) login|(?:snyk|hf) auth(?: login)?|ConvertTo-SecureString(?: -String)?) ["']?)([^\s"']{4,200})/iy,
      // A call with an address or a user before the password.
      /((?:PDO(?:->__construct)?|mysqli(?:_connect)?|ftp_login|imap_open|ldap_bind|(?:get|create)Connection|unlockAccount|connect|algoliasearch|basic_?auth|credentials|authenticate|log_?in|sign_?in)\((?:(?:["'][^"'\n]{0,100}["']|[\w.]{1,40}), ?){1,3}["'])([^"'\n\\]{4,100})(?=["'])/iy,
      // `auth=('user', 'password')`.
      /((?:auth|login|credentials?)["']?\s?[=:]?\s?\(\s?\\*["'][^"'\n]{1,80}["'],\s?\\*["'])([^"'\n\\]{4,400})(?=\\*["'])/iy,
      // A user and a password: `creds are bob:…`, `login: admin / …`.
      /((?:basic\.auth\.user\.info|login|log in|cred(?:ential)?s|user\/pass(?:word)?|zugang(?:sdaten)?)(?: (?:are|is|as|with|for|für|sind|ist)(?: [\w-]{1,20})?)?[\s:=(]{1,3}["']?(?!(?:ok|failed|error|denied|from|for|as|by|called)\b)[\w.@-]{1,60}["']?(?:[/:|]| [/:|] | with (?:password )?)["']?)([^\s"',;/)][^\s"',;)]{5,100})/iy,
    ],
  ],
  [
    isAny,
    [
      /(login "[\w.@+-]{1,80}" ")([^"\s]{4,200})(?=")/iy,
      // Redis.
      /((?:requirepass|masterauth|sentinel auth-pass \S{1,40})["']? ["']?)([^\s"'\\]{4,300})/iy,
      /((?:SETUSER|user) \S{1,60} (?:[^\s>]{1,40} ){0,6}>)([^\s"'\\]{4,300})/iy,
      // Oracle.
      /((?:sqlplus|rman|expdp|impdp|exp|imp|sqlldr|sqlcl|conn(?:ect)?(?: string)?|userid|thin|oci|target)[\s:="'(]{1,4}(?:-\S{1,10} |target |["'])?[\w$.-]{1,40}\/)([^\s/@]{4,100}|"[^"\n]{4,100}")(?=@)/iy,
      /((?:sqlplus|expdp|impdp|sqlldr) (?:-\S{1,10} )?[\w$.-]{1,40}\/)([^\s/@]{4,100})(?=\s|$)/iy,
    ],
  ],
  [isKeyLike, [/((?:SSWS|GenieKey) )([\w-]{20,200})/y]],
  // Links that log in, signed addresses.
  [(written) => isRandomToken(written, 28), [/([?&](?:[tk]|hmac|appid)=)([\w-]{28,300})/y]],
  // `staging: bob / …`.
  [isPasswordLike, [/( \/ )([^\s"',;)]{8,60})/y]],
  [
    () => true,
    [
      // A value that a pipe passes to a program.
      /((?:echo|printf)(?: -\w{1,3})? ["']?(?:%s(?:\\n)?["']? ["']?)?(?:[\w-]{1,32}:(?=[^|\n]{1,200}\|[^|\n]{0,20}chpasswd))?)([^\s"'|][^"'|\n]{3,200}?)(?=["']? ?\|[^|\n]{0,100}(?:(?:-|pass |passin )stdin|sudo [^|\n]{0,20}-S\b|chpasswd|-fd 0|--with-token|cryptsetup|secrets? (?:create|set|put)))/iy,
      // A code that lets one person in once.
      /(code["']?(?: is| was|:|=)? ?["']?|(?:PIN|[TH]?OTP|CVV|CVC)2?(?: is|:|=)? ?)((?:[A-Z]-)?\d{6,8}|\d{4}-\d{4}|(?<=PIN(?: is|:|=) ?)\d{4,5}|(?<=CV[VC]2?(?: is|:|=)? ?)\d{3,4})(?![\w-])/iy,
      /()(\d{4,8})(?= is your [\w .-]{0,40}\b(?:code|PIN|password|passcode|OTP)\b)/iy,
    ],
  ],
];

/** Words that may be in front of a secret, separated by bars, with the text that has to follow them. */
const hintWords: readonly (readonly [after: string, words: string])[] = [
  ['(?=["\']?[ :=(])', 'AUTH(?:ENTICATE)?|LOGIN|login|PASS|requirepass|masterauth|REQUIREPASS|MASTERAUTH|auth-pass'],
  ['(?=["\']?[ :=(])', 'sqlplus|rman|expdp|impdp|exp|imp|sqlldr|sqlcl|conn(?:ect)?|CONNECT|userid|thin|oci|target'],
  [' ', 'SSWS|GenieKey|rabbitmqctl|radtest|wpa_passphrase|openssl passwd|tacacs-server|radius-server|isakmp|net user?'],
  [' ', 'mc|wallet import|db2|echo|printf|log in|[Cc]redentials|creds|cargo|wandb|pulumi|railway|doppler'],
  [' ', 'huggingface-cli|snyk|hf|ConvertTo-SecureString|task\\.setvariable'],
  ['(?=[ :=])', 'PIN|[TH]?OTP|CV[VC]2?|cv[vc]|Zugang(?:sdaten)?|user\\/pass|creds|credentials'],
  ['(?=\\()', 'PDO->__construct|mysqli(?:_connect)?|ftp_login|imap_open|ldap_bind|(?:get|create)Connection'],
  ['(?=\\()', 'unlockAccount|algoliasearch|authenticate|sign_?[Ii]n'],
  [String.raw`(?= (?:-- )?\\*["'])`, 'send(?:line)?'],
  [String.raw`(?= \S{1,60} (?:[^\s>]{1,40} ){0,6}>)`, 'SETUSER|user'],
  ['(?= is your )', String.raw`\d{4,8}`],
  ['', String.raw`WIFI:|auth-user-pass\b|basic\.auth\.user\.info`],
];
const codeWords =
  '[Yy]our|[Vv]erification|[Oo]ne-[Tt]ime|[Bb]ackup|[Rr]ecovery|[Ss]ecurity|[Ll]ogin|[Uu]se|[Uu]nlock|[Dd]oor|[Gg]ate|[Aa]larm|[Ee]ntry|[Aa]ccess|[Pp]airing|[Aa]ctivation|[Rr]eset|[Cc]onfirmation|[Pp]in|2fa|2FA|mfa|MFA|otp|OTP|sms|SMS|[Aa]uthentication';
const placeHints = new RegExp(
  [
    String.raw`\b(?:${hintWords.map(([after, words]) => `(?:${words})${after}`).join('|')})`,
    String.raw`[Cc]ode(?=[ :="'])(?<=\b(?:${codeWords}) [Cc]ode)`,
    String.raw`(?:[aA]uth|log_?[iI]n|[cC]redentials?)(?=["']?\s?[=:]?\s?\()|auth\\?["'](?=[ ,])|UGFzc3dvcmQ6|::add-mask::`,
    String.raw`community(?= )(?<=\bsnmp[ \w-]{0,20} community)|[?&](?:u(?=(?:ser(?:name)?)?=)|(?:[tk]|hmac|appid)(?==))`,
    String.raw`<(?:\((?=echo |printf )|<<(?= ?\S{4}))|:(?=(?:\d{2,5}|\*):[a-z*][\w*-]{0,63}:[a-z*][\w.*-]{0,63}:[^\s:])`,
    String.raw` \/ (?<=(?:[:(]|^|\b(?:use|with|as|user|login|try|creds|credentials)) ?[\w.@-]{2,40} \/ |\w@[\w.-]{2,40} \/ )(?=\S{8})`,
  ].join('|'),
  'gm',
);

function findInPlace(text: string, { index }: RegExpExecArray): readonly SecretMatch[] {
  for (const [isSecret, patterns] of places) {
    for (const pattern of patterns) {
      pattern.lastIndex = index;
      const [whole = '', before = '', secret = ''] = pattern.exec(text) ?? [];
      const start = index + before.length;
      if (whole === '' || !isSecret(secret) || isPlaceholder(secret) || markEnd(text, start) !== undefined) continue;
      return [{ kind: 'password', start, end: start + secret.length }];
    }
  }
  return [];
}

/** `user:password@tcp(…)` of Go's drivers, `user:password@host:5432` without a scheme, `bob@acme.com:password`. */
const hostHints =
  /@(?=(?:tcp|unix|udp)?\(|[A-Za-z0-9.-]{1,80}:\d{2,5}(?![\d.])|(?:\d{1,3}\.){3}\d)|:(?<=\w@[\w.-]{1,80}\.[a-z]{2,10}:)(?=[^\s/]{8})/g;
const beforeHost =
  /(?:^|[\s"'`=(,\\/])(?!(?:mailto|sips?|ssh|user|host|to|from|target):)[\w.-]{1,64}:([^\s:@"'`/]{4,100})$/;

function findBeforeHost(text: string, { index, 0: sign }: RegExpExecArray): readonly SecretMatch[] {
  if (sign === ':') return findAfterMailbox(text, index + 1);
  const secret = beforeHost.exec(text.slice(Math.max(0, index - 170), index))?.[1];
  const start = index - (secret?.length ?? 0);
  const isSecret =
    secret !== undefined && !isPlaceholder(secret) && isTightSecret(secret) && markEnd(text, start) === undefined;
  return isSecret ? [{ kind: 'password', start, end: index }] : [];
}

const afterMailbox = /[^\s"'`,;|/]{8,64}(?=[\s"'`,;|]|$)/y;

function findAfterMailbox(text: string, start: number): readonly SecretMatch[] {
  afterMailbox.lastIndex = start;
  const secret = afterMailbox.exec(text)?.[0] ?? '';
  const isSecret = isPasswordLike(secret) || (/\d/.test(secret) && isRandomToken(secret, 8));
  return isSecret ? [{ kind: 'password', start, end: start + secret.length }] : [];
}

const flagHints =
  /\s(?:-[A-Za-z]?b[A-Za-z]?(?=\s)|-h?[acKkNupUwPAX]|-hmac|\/r?p|--(?:value|body|secret-string)|--user|--proxy-user|--auth)/g;

/** Distance in front of a flag in which its command is searched. */
const lineUnitsMax = 300;

const userAndPassword = /[\s=]?["']?[^\s:"'\\]{0,100}:([^\s"'\\]{1,200})/y;
const separate = /[\s=]["']?([^\s"'\\-][^\s"'\\]{0,200})/y;
const attached = /["']?([^\s"'\\]{1,200})/y;

/** A flag of a command, and the value behind it, whose first group is the secret. */
const flags: readonly (readonly [command: RegExp, flag: RegExp, value: RegExp, isSecret?: Judge])[] = [
  [/\b(?:curl|wget|https?(?:ie)?|xh|etcd(?:ctl)?)\s/, /^(?:-[uUa]|--user|--proxy-user|--auth)$/, userAndPassword],
  [/\blftp\s/, /^-u$/, /[\s=]?["']?[^\s,"']{1,80},([^\s"'\\]{1,200})/y],
  [/\bsmbclient\s/, /^-U$/, /[\s=]?["']?[^\s%"']{1,100}%([^\s"'\\]{1,200})/y],
  [/\b(?:sshpass|mongo[a-z]*|login|useradd|usermod|cqlsh|xfreerdp|rdesktop|evil-winrm)\s/, /^-p$/, separate],
  [/\b(?:sshpass|mysql[a-z]*|mariadb[a-z-]*)\s/, /^-p$/, attached],
  [/\b(?:openssl|nuget)\s/, /^-(?:k|K|hmac)$/, separate],
  [/\bsecrets?\b|SecureString|put-parameter/, /^--(?:value|body|secret-string)$/, separate],
  [/\b(?:xfreerdp|schtasks|cmdkey)\s/, /^\/r?p$/, /[\s:]([^\s"'\\]{1,200})/y],
  // Any command with a user before it.
  [
    /\s(?:-[uUxl]|--user(?:name)?)[ =]\S/,
    /^-[pPw]$/,
    /[\s=]["']?([^\s"':\\-][^\s"':\\]{5,200})(?=["'\s]|$)/y,
    isTightSecret,
  ],
  [/\b(?:7z[azr]?|rar|unrar)\s/, /^-h?p$/, attached],
  [/\b(?:mosquitto_[a-z]+|zip|unzip|ipmitool|sqlcmd|bcp|isql|rcon-cli|snmp[a-z]+)\s/, /^-[PAX]$/, separate],
  [/\bredis-cli\s/, /^-a$/, separate],
  [/\bssh-keygen\s/, /^-[NP]$/, separate],
  [/\bsnmp[a-z]+\s/, /^-c$/, separate, isTightSecret],
  [/\bldap[a-z]{4,9}\s/, /^-w$/, separate],
  [/\bhtpasswd\s/, /^-[A-Za-z]?b/, /\s+\S{1,100}\s+\S{1,100}\s+["']?([^\s"'\\]{1,200})/y],
];

function findInCommand(text: string, { index, 0: hint }: RegExpExecArray): readonly SecretMatch[] {
  const line = text.slice(Math.max(0, index - lineUnitsMax), index + 1);
  const command = line.slice(line.lastIndexOf('\n', line.length - 2) + 1);
  for (const [wanted, flag, value, isSecret] of flags) {
    if (!flag.test(hint.trim()) || !wanted.test(command)) continue;
    value.lastIndex = index + hint.length;
    const secret = value.exec(text)?.[1];
    if (secret === undefined || isPlaceholder(secret) || isSecret?.(secret) === false) continue;
    const start = value.lastIndex - secret.length;
    if (markEnd(text, start) === undefined) return [{ kind: 'password', start, end: value.lastIndex }];
  }
  return [];
}

export const placeFinders: readonly Finder[] = [
  { hints: placeHints, find: findInPlace },
  { hints: hostHints, find: findBeforeHost },
  { hints: flagHints, find: findInCommand },
];
