/** The values of the hostile section `secret` that the bot masks, in every text of the service and in its errors. */
import { expect } from 'vitest';
import { maskedCount } from '../../../src/shared/redaction/redact.ts';
import type { Answers } from '../bot/every-answer.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import { answer, inTurn } from '../service/hostile-http.ts';
import { sameText, worldOf, worldUuids } from '../service/world.ts';
import { hostileStrings } from './hostile.ts';

const texts = new Map(hostileStrings('secret').map(([id, text]) => [id, text]));

/** @param name of the case, without its section */
export function secretText(name: string): string {
  return texts.get(`secret/${name}`) ?? '';
}

/** The secret part of each value. */
export const secrets: Readonly<Record<string, string>> = {
  'own-api-key': 'wk_live_8f3b1c9d7e5a4f2b8c6d',
  'apikey-header': '8f3b1c9d7e5a4f2b8c6d1a2b',
  'slack-user': 'xoxp-1-2-3-abcdef',
  'slack-app': 'xapp-1-A1-2-abcdef',
  'slack-webhook': 'T000/B000/XXXXXXXXXXXXXXXXXXXXXXXX',
  'github-pat': 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'github-fine': 'github_pat_11ABCDEFG0123456789abc_0123456789abcdefghijklmnopqrstuvwxyz',
  'aws-akid': 'AKIAIOSFODNN7EXAMPLE',
  'aws-secret': 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'gcp-sa': 'MIIE',
  stripe: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'pem-one-line': 'MHc=',
  ssh: 'b3BlbnNzaC1rZXktdjE',
  mnemonic: 'legal winner thank year wave sausage worth useful legal winner thank yellow',
  'password-json': 'hunter2secret',
  'pg-uri': 's3cr3tpw',
  'set-cookie': 'abcdef0123456789',
};

/** The last four characters of a secret longer than twenty may stay; eight others in a row may not. */
function leaksOf(secret: string, text: string): readonly string[] {
  const hidden = secret.length > 20 ? secret.slice(0, -4) : secret;
  const length = Math.min(8, hidden.length);
  const pieces = Array.from({ length: hidden.length - length + 1 }, (_, at) => hidden.slice(at, at + length));
  const [lower, pattern] = [text.toLowerCase(), /^[a-z_]+$/];
  // A prefix such as `wk_live_` names the kind of a value and is not secret.
  return pieces.filter((piece) => !pattern.test(piece) && lower.includes(piece.toLowerCase()));
}

/** The bot reads the service's errors in one place, whatever the command; every-line.long.test.ts has all of them. */
const linesOfErrors = ['status', 'execution'].map((word) => `${word} ${worldUuids.failure}`);

/** Texts of a service in an error, in the body of a failure and in the bot's log, which must be masked. */
async function logOver(text: string, answersTo: Answers, lines: readonly string[] = linesOfErrors): Promise<string> {
  const failing = answer(200, { data: null, errors: [{ message: `boom ${text}`, extensions: { code: text } }] });
  const { logged, sent } = await answersTo(
    inTurn(failing, answer(400, { errors: [{ message: text }] }), answer(404, text)),
    lines,
  );
  expect(logged).toContain('query service gave no answer');
  const log = createMemoryLog();
  log.log.error({ err: new Error(`outer ${text}`, { cause: new Error(text) }), detail: text }, 'thrown');
  return logged + sent + log.text();
}

export async function expectMasked(name: string, answersTo: Answers, lines?: readonly string[]): Promise<void> {
  const [text, secret = ''] = [secretText(name), secrets[name]];
  expect(text).toContain(secret);
  const { sent, messages } = await answersTo(
    worldOf(() => sameText(`before ${text} after`)),
    lines,
  );
  expect(sent).toContain('before');
  expect(maskedCount(sent)).toBeGreaterThan(0);
  const silent = messages.filter(
    (each) =>
      maskedCount(each.text) > 0 && !/\d values? that looks? like (a secret is|secrets are) masked\./.test(each.text),
  );
  expect(silent).toEqual([]);
  expect(leaksOf(secret, sent)).toEqual([]);
  expect(leaksOf(secret, await logOver(text, answersTo, lines))).toEqual([]);
  if (secret.length > 20) expect(sent).toMatch(/\[[\w ]+ …\S{4}\]|\[private key\]|\[recovery phrase …/);
  else expect(sent).not.toContain(`…${secret.slice(-4)}]`);
}
