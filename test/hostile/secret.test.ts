/** The hostile cases of the section `secret`: each value in every text of the service, searched in every answer, file and the log. */
import { inspect } from 'node:util';
import { ClientError } from 'graphql-request';
import { describe, expect, it, vi } from 'vitest';
import { maskedCount } from '../../src/shared/redaction/redact.ts';
import { type EveryAnswer, everyAnswer } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { type HostileCase, hostileStrings } from '../support/hostile/hostile.ts';
import { startProgram } from '../support/programs/program.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import { answer, hang, inTurn, startHostileHttp } from '../support/service/hostile-http.ts';
import { sameText, startWorld, worldKey } from '../support/service/world.ts';

const texts = new Map(hostileStrings('secret').map(([id, text]) => [id, text]));
const textOf = ({ id }: HostileCase) => texts.get(id) ?? '';

async function answersOver(text: string): Promise<EveryAnswer> {
  await using world = await startWorld(() => sameText(text));
  return await everyAnswer(world);
}

/** Texts of a service in an error, in the body of a failure and in the bot's log, which must be masked. */
async function logOver(text: string): Promise<string> {
  const failing = answer(200, { data: null, errors: [{ message: `boom ${text}`, extensions: { code: text } }] });
  await using server = await startHostileHttp(
    inTurn(failing, answer(400, { errors: [{ message: text }] }), answer(404, text)),
  );
  const { logged, sent } = await everyAnswer(server);
  expect(logged).toContain('query service gave no answer');
  const log = createMemoryLog();
  log.log.error({ err: new Error(`outer ${text}`, { cause: new Error(text) }), detail: text }, 'thrown');
  return logged + sent + log.text();
}

/** The secret part of each value. */
const secrets: Readonly<Record<string, string>> = {
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

const masked = Object.fromEntries(
  Object.entries(secrets).map(([name, secret]): [string, CaseRun] => [
    name,
    async (one) => {
      const text = textOf(one);
      expect(text).toContain(secret);
      const { sent, messages } = await answersOver(`before ${text} after`);
      expect(sent).toContain('before');
      expect(maskedCount(sent)).toBeGreaterThan(0);
      const silent = messages.filter(
        (each) =>
          maskedCount(each.text) > 0 &&
          !/\d values? that looks? like (a secret is|secrets are) masked\./.test(each.text),
      );
      expect(silent).toEqual([]);
      expect(leaksOf(secret, sent)).toEqual([]);
      expect(leaksOf(secret, await logOver(text))).toEqual([]);
      if (secret.length > 20) expect(sent).toMatch(/\[[\w ]+ …\S{4}\]|\[private key\]|\[recovery phrase …/);
      else expect(sent).not.toContain(`…${secret.slice(-4)}]`);
    },
  ]),
);

/** Other text is still there, in the message and in the log's file. */
const readable: CaseRun = async (one) => {
  const text = textOf(one);
  const { sent } = await answersOver(`before ${text} after`);
  expect(sent).toContain(`before ${text} after`);
  expect(maskedCount(sent)).toBe(0);
};

const spellings: Readonly<Record<string, (key: string) => string>> = {
  raw: (key) => key,
  'url-encoded': (key) => encodeURIComponent(key).replace(/_/g, '%5F').replace(/\./g, '%2E'),
  base64: (key) => Buffer.from(`Apikey ${key} and more`).toString('base64'),
  'json-escaped': (key) => JSON.stringify({ key: JSON.stringify(key) }),
};

/** The service echoes the key. */
const ownKey: CaseRun = async ({ expect: wanted }) => {
  expect(Object.keys(spellings)).toEqual(wanted['forms']);
  for (const spell of Object.values(spellings)) {
    await using world = await startWorld(({ headers }) => {
      const key = String(headers.authorization).replace('Apikey ', '');
      return sameText(`before ${spell(key)} after`);
    });
    const { sent, logged } = await everyAnswer(world);
    expect(sent).toContain('before');
    expect(sent).toContain('[key]');
    for (const form of Object.values(spellings)) expect(sent + logged).not.toContain(form(worldKey));
    expect(sent + logged).not.toContain(worldKey.slice(4, 14));
  }
};

const crash: CaseRun = async () => {
  const failing = answer(500, 'no');
  await using server = await startHostileHttp(inTurn(failing, failing, failing, hang));
  const program = startProgram({ entry: 'test/support/programs/crash-while-asking.ts', args: [server.url, worldKey] });
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain('AppError');
  expect(program.output()).not.toContain(worldKey);
  expect(program.output()).not.toMatch(/authorization|Apikey|query GetOrganization|\{\s*getOrganization/i);
};

/** An error of graphql-request: its message contains the query, the variables and the body. */
const clientError: CaseRun = () => {
  const request = { query: 'query Asked { secretField }', variables: { name: 'xoxp-1-2-3-abcdef' } };
  const headers = new Headers({ authorization: `Apikey ${worldKey}` });
  const response = { status: 500, headers, body: worldKey, errors: [] };
  const error = new ClientError(response, request);
  expect(inspect(error, { depth: 9 })).toContain('secretField');
  const log = createMemoryLog();
  log.log.error({ err: error }, 'failed');
  log.log.error({ err: new Error('outer', { cause: error }) }, 'failed');
  expect(log.text()).not.toMatch(/secretField|xoxp|wfq_world|Apikey/);
};

const benign = hostileStrings('secret')
  .map(([id]) => id.replace('secret/', ''))
  .filter((name) => name.startsWith('benign-'));

walk({
  section: 'secret',
  runs: {
    ...masked,
    ...Object.fromEntries(benign.map((name) => [name, readable])),
    // The second line cannot be recognised as part of the first, which is masked by its shape.
    'split-lines': async (one) => expect((await answersOver(textOf(one))).sent).toContain('7e5a4f2b8c6d'),
    'own-key-literal': ownKey,
    'crash-dump': crash,
    'clienterror-log': clientError,
  },
  elsewhere: {
    'slack-retry-log': 'test/bot/slack/outbound/web-api/sdk-log.test.ts',
    'process-env': 'test/bot/store/at-rest.test.ts',
    'db-dump': 'test/bot/store/at-rest.test.ts',
    'key-version-unknown': 'test/bot/store/at-rest.test.ts',
  },
});

describe('masking that fails', () => {
  it('withholds the text everywhere, and the answer is still sent', async () => {
    const normalize = vi.spyOn(String.prototype, 'normalize').mockImplementation(() => {
      throw new RangeError('out of memory');
    });
    const { outsideLine, outsideError } = await import('../../src/bot/views/format/outside-text.ts');
    const lines = [outsideLine('é secret', 300), outsideError('é secret', 300)];
    normalize.mockRestore();
    expect(lines.join()).not.toContain('é secret');
    expect(lines.map((line) => maskedCount(line))).toEqual([1, 1]);
  });
});
