/** The cost of masking grows linearly with any text. */
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/shared/redaction/redact.ts';
import { shapes } from '../../../src/shared/redaction/tokens.ts';

const units = 10_000;
/** For ten times the text; quadratic work takes a hundred times as long. The margin is for other work of the processor. */
const ratioMax = 40;

/** Hints of each step, and texts that could make it scan again: repeated, unclosed and nearly complete ones. */
const beginnings = [
  ...shapes.flatMap(({ prefixes }) => [prefixes[0] ?? '', `${prefixes[0]}aA1-`, `${prefixes[0]}aA1.`]),
  ...[
    'token',
    'token=',
    'token="',
    "token='",
    'token=\\"',
    '"token":',
    '"token":{',
    'token=[',
    'token: ',
    'token (',
    'token is ',
  ],
  ...[
    'password',
    'password=',
    'password: a ',
    '--password ',
    'a_password_',
    'passWord',
    '<password>',
    '<password ',
    '[token] => ',
  ],
  ...[
    'cookie: ',
    'cookie: a=',
    'cookie:a=b;',
    'set-cookie: a="',
    'authorization: ',
    'authorization: Bearer ',
    'Bearer ',
    'Basic ',
  ],
  ...[
    'mnemonic ',
    'mnemonic: a',
    'phrase: abc ',
    'seed phrase',
    'login a password ',
    'name="token" value',
    '"token",',
    'token\n\n',
  ],
  ...[
    '://',
    '://a',
    'https://a:',
    'https://a:b@',
    'https://a/hooks/',
    'wss://a/',
    '%3A%2F%2F',
    ':\\/\\/',
    'https://hooks.slack.com/',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN ',
    'eyJ',
    'eyJaaaaaaaa.',
    'eyJaaaaaaaa-',
    'curl -u ',
    'mysql -p',
    ' -u ',
    ':AA',
    '1Q~',
  ],
  ...[
    'a:',
    'a_',
    'x.',
    '\\',
    '\\"',
    '"',
    "'",
    '&quot;',
    '%22',
    '\\u0022',
    '[secret',
    '[secret]',
    '[secret …abcd]',
    '[',
    '(((',
    ' ',
    '\n',
  ],
  ...[
    'AUTH ',
    'AUTH PLAIN ',
    'LOGIN a ',
    'sqlplus a/',
    'auth=("a", ',
    ' @h:5432',
    'a:b@tcp(',
    'h:5432:a:b:',
    'accounts: [',
    'tokens:[',
    'tokens:\n - ',
    'a,password\n',
    'a,password\nx,y1z2w3\n',
    'password:\n',
    'echo a | ',
    'echo "ab',
    'creds are ',
    'password for the ',
    'password is the ',
    'PIN ',
    '123456 is your ',
    'PDO->__construct("a","',
    'a@b.co:',
    ' / ',
    '$2b$',
    'net use X: ',
    'user a b ',
    'private keys (0) ',
    '[1,2,3,',
    '[0x01, ',
    'legal winner thank year ',
    'legal,winner,',
    'пароль для ',
    '令牌为',
    'パスワード：',
    'clave de la ',
    'cloudflare a: ',
    'okta okta okta',
    'acme_a1B2c3D4e5F6g7H8i9J0k1L2m3N4_',
    '/key/aB3dE5fG7hI9jK1l',
    '"kty":{',
    'insert into a (b) values (',
    'Private-Lines: 1\n',
    'password | ',
    'password,a',
    'password   ',
    'ｐａｓｓｗｏｒｄ＝',
    'key',
    'keykey_',
    'a-key-',
    'sk-',
    'sk-a',
    'ghp_',
    'xox',
    '0x',
    'abandon ',
    '=',
    '==',
    ':=',
    '=>',
    '\u200d',
    'é',
    '🙂',
  ],
];

/** @returns processor microseconds of this thread */
function spent(text: string): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage().user;
    redact(text);
    return process.threadCpuUsage().user - before;
  });
  return Math.min(...times);
}

// Retried because the machine may be busy.
describe('ten times the text costs about ten times as much', { retry: 3 }, () => {
  it.each(beginnings.map((beginning) => [JSON.stringify(beginning), beginning]))('of %s', (_, beginning) => {
    const addTimes = (length: number) => `${beginning.repeat(Math.ceil(length / beginning.length))}`.slice(0, length);
    const ended = (length: number) => `${beginning}${'aB3'.repeat(length / 3)}\n${beginning}`;
    for (const made of [addTimes, ended]) {
      redact(made(units));
      const [short, long] = [spent(made(units)), spent(made(10 * units))];
      // A run under two milliseconds is too short to measure growth.
      expect(long).toBeLessThan(Math.max(short, 2000) * ratioMax);
    }
  });
});
