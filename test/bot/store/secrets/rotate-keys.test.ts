/** Rotation of stored secrets from one master key to the next. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { KeyProvider } from '../../../../src/bot/store/secrets/envelope.ts';
import { loadKeys } from '../../../../src/bot/store/secrets/keyring-file.ts';
import { rotateKeys } from '../../../../src/bot/store/secrets/stored-secrets.ts';
import type { Store } from '../../../../src/bot/store/store.ts';
import {
  describeStores,
  keyLine,
  openBeside,
  openTestStore,
  startStoreScript,
  testKeys,
} from '../../../support/bot/store.ts';
import { newFolder } from '../../../support/databases/engines.ts';
import { useProgramsInTurn } from '../../../support/programs/in-turn.ts';
import { credential } from '../contracts/credentials.contract.ts';
import { installation } from '../contracts/installations.contract.ts';

const [oldLine, newLine] = [keyLine('old'), keyLine('new')];
const both = `${newLine}\n${oldLine}`;
const teamIds = Array.from({ length: 50 }, (_, index) => `T${1000 + index}`);
const silent = { warn: () => {} };

async function fill({ installations, credentials }: Store): Promise<void> {
  for (const teamId of teamIds) {
    await installations.save(teamId, installation);
    await credentials.connect(teamId, { ...credential, apiKey: `wfq_${teamId}` });
  }
}

/** Opens every secret. @throws AppError for one that these keys do not open */
async function openAll(url: string, keys: KeyProvider): Promise<void> {
  const { installations, credentials, close } = await openTestStore(url, keys);
  for (const teamId of teamIds) {
    expect(await installations.openTokens(teamId)).toMatchObject({ refreshToken: 'xoxe-canary-1' });
    expect((await credentials.openApiKey(teamId))?.apiKey).toContain(`wfq_${teamId}`);
  }
  await close();
}

const run = useProgramsInTurn();
const rotate = (environment: Readonly<Record<string, string>>) =>
  run({ entry: 'src/bin/store-rotate-keys.ts', environment });

describeStores('rotation', (newDatabase) => {
  it('while the bot writes and reads loses nothing, and leaves nothing under the old key', async () => {
    const [url, path] = [await newDatabase(), join(newFolder(), 'keys')];
    writeFileSync(path, oldLine, { mode: 0o600 });
    const store = await openTestStore(url, loadKeys({ kind: 'file', path }, silent));
    await fill(store);
    writeFileSync(path, both);
    let isOver = false;
    const rotated = rotate({ DATABASE_URL: url, ENCRYPTION_KEYS_FILE: path }).finally(() => {
      isOver = true;
    });
    for (let n = 0; !isOver; n += 1) {
      const teamId = teamIds[(n * 7) % teamIds.length] ?? '';
      await store.credentials.connect(teamId, { ...credential, apiKey: `wfq_${teamId} again` });
      expect(await store.installations.openTokens(teamId)).toMatchObject({ botToken: installation.botToken });
      await new Promise(setImmediate);
    }
    const { code, output } = await rotated;
    expect([code, output]).toEqual([0, expect.stringMatching(/encrypted with the key new; 0 cannot/)]);
    await store.close();
    await openAll(url, testKeys(newLine));
  });

  it('that is killed halfway loses nothing, and a restart continues with the rest and names what it cannot read', async () => {
    const url = await newDatabase();
    const store = await openTestStore(url, testKeys(oldLine));
    await fill(store);
    await store.close();
    const db = await openBeside(url);
    const changed = sql`update credential set version = version || '!' where team_id = 'T1049'`;
    const repaired = sql`update credential set version = replace(version, '!', '') where team_id = 'T1049'`;
    await changed.execute(db);
    const environment = { DATABASE_URL: url, ENCRYPTION_KEYS: both };
    const first = startStoreScript('rotate-keys', environment);
    await first.said(/^100 secrets encrypted/m);
    first.child.kill('SIGKILL');
    await first.ended;
    await repaired.execute(db);
    await openAll(url, testKeys(newLine, oldLine));
    await changed.execute(db);
    const { code, output } = await rotate(environment);
    expect(code).toBe(1);
    expect(output).toMatch(/^T1049 credential\.api_key: .* was changed outside the bot, or another .*\.$/m);
    expect(output).toMatch(/ secrets are encrypted with the key new; 1 cannot be read/);
    expect(output).not.toMatch(/wb1\.|wfq_|xox/);
    await repaired.execute(db);
    const rest = await rotateKeys({ db, keys: testKeys(newLine, oldLine), onProgress: () => {} });
    expect(rest).toMatchObject({ rewrapped: 1, unreadable: [] });
    await openAll(url, testKeys(newLine));
  });

  it('does not overwrite a secret that the bot wrote meanwhile, and rotates it later', async () => {
    const [url, keys] = [await newDatabase(), testKeys(newLine, oldLine)];
    const store = await openTestStore(url, testKeys(oldLine));
    await store.credentials.connect('T1', credential);
    let writes = 0;
    const unwrap: KeyProvider['unwrap'] = async (...wrapped) => {
      if (writes++ === 0) await store.credentials.connect('T1', { ...credential, apiKey: 'wfq_later' });
      return keys.unwrap(...wrapped);
    };
    const rotation = await rotateKeys({ db: await openBeside(url), keys: { ...keys, unwrap }, onProgress: () => {} });
    expect([writes, rotation]).toEqual([2, { keyId: 'new', rewrapped: 1, unreadable: [] }]);
    await store.close();
    expect(await (await openTestStore(url, testKeys(newLine))).credentials.openApiKey('T1')).toMatchObject({
      apiKey: 'wfq_later',
    });
  });
});
