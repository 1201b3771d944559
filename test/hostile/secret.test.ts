/** The hostile cases of the section `secret`: each value in every text of the service, searched in the answers of each command, their files and the log. */
import { inspect } from 'node:util';
import { ClientError } from 'graphql-request';
import { describe, expect, it, vi } from 'vitest';
import { maskedCount } from '../../src/shared/redaction/redact.ts';
import { useAnswers } from '../support/bot/every-answer.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { type HostileCase, hostileStrings } from '../support/hostile/hostile.ts';
import { expectMasked, secrets, secretText } from '../support/hostile/masked.ts';
import { startProgram } from '../support/programs/program.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import { answer, hang, inTurn, startHostileHttp } from '../support/service/hostile-http.ts';
import { sameText, worldKey, worldOf } from '../support/service/world.ts';

const answersTo = useAnswers();
const nameOf = ({ id }: HostileCase) => id.replace('secret/', '');

const masked = Object.fromEntries(
  Object.keys(secrets).map((name): [string, CaseRun] => [name, () => expectMasked(name, answersTo)]),
);

/** Other text is still there, in the message and in the log's file. */
const readable: CaseRun = async (one) => {
  const text = secretText(nameOf(one));
  const { sent } = await answersTo(worldOf(() => sameText(`before ${text} after`)));
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
    const { sent, logged } = await answersTo(
      worldOf(({ headers }) => {
        const key = String(headers.authorization).replace('Apikey ', '');
        return sameText(`before ${spell(key)} after`);
      }),
    );
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
    'split-lines': async (one) => {
      const text = secretText(nameOf(one));
      expect((await answersTo(worldOf(() => sameText(text)))).sent).toContain('7e5a4f2b8c6d');
    },
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
