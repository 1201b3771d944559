/** Secrets at rest: a copy of the database reveals none, and a lost key loses only the secrets under it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKeys } from '../../../src/bot/store/secrets/keyring-file.ts';
import { keyLine, openTestStore, testKeys } from '../../support/bot/store.ts';
import { describeEngines, newFolder, newSqlite } from '../../support/databases/engines.ts';
import { startProgram } from '../../support/programs/program.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { credential } from './contracts/credentials.contract.ts';
import { fillWorkspace } from './every-table.ts';

/** @returns the content of a copied database */
function dump(url: string): string {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined) return spawnSync('pg_dump', ['--inserts', url], { encoding: 'latin1' }).stdout;
  return readdirSync(dirname(file))
    .map((name) => readFileSync(join(dirname(file), name), 'latin1'))
    .join();
}

describeEngines('a store', (newDatabase) => {
  it('as a dump contains every row and no secret, in any encoding (secret/db-dump)', async () => {
    const url = await newDatabase();
    const store = await openTestStore(url);
    await fillWorkspace(store, 'T1');
    await store.installations.markUninstalled('T1', 9000);
    await fillWorkspace(store, 'T2');
    const text = dump(url);
    expect(text).toContain('https://service.example.com/graphql');
    for (const secret of ['wfq_canary', 'xoxb-canary', 'xoxe-canary', 'state of T2']) {
      const spellings = (['utf8', 'base64', 'base64url', 'hex'] as const).map((one) =>
        Buffer.from(secret).toString(one),
      );
      expect(spellings.filter((spelling) => text.includes(spelling.replace(/[=]+$/, '')))).toEqual([]);
    }
  });

  it('without one of its keys loses only the secrets under that key (secret/key-version-unknown)', async () => {
    const [url, lost, kept] = [await newDatabase(), keyLine('lost'), keyLine('kept')];
    const before = await openTestStore(url, testKeys(lost));
    await fillWorkspace(before, 'T1');
    await before.close();
    const store = await openTestStore(url, testKeys(kept));
    await fillWorkspace(store, 'T2');
    const refusal = { code: 'unavailable', message: expect.stringContaining('“lost”') };
    await expect(store.credentials.openApiKey('T1')).rejects.toMatchObject(refusal);
    await expect(store.installations.openTokens('T1')).rejects.toMatchObject(refusal);
    expect(await store.credentials.openApiKey('T2')).toMatchObject({ apiKey: 'wfq_canary_T2' });
    await store.credentials.connect('T1', { ...credential, apiKey: 'wfq_new' });
    expect(await store.credentials.openApiKey('T1')).toMatchObject({ apiKey: 'wfq_new' });
  });
});

describe('the master keys', () => {
  it.skipIf(process.platform !== 'linux')(
    'from a file are neither in the environment nor in the command line of the process (secret/process-env)',
    async () => {
      const path = join(newFolder(), 'keys');
      const line = keyLine('k1');
      writeFileSync(path, line, { mode: 0o600 });
      const program = startProgram({ entry: 'test/support/programs/open-store.ts', args: [await newSqlite(), path] });
      await program.said(/open/);
      const told = ['environ', 'cmdline']
        .map((name) => readFileSync(`/proc/${program.child.pid}/${name}`, 'utf8'))
        .join();
      expect(told).toContain(path);
      expect(told).not.toContain(line.split(':')[1]);
    },
  );

  it('cause a log line without a key if the group can read them or the file becomes invalid', async () => {
    const path = join(newFolder(), 'keys');
    const line = keyLine('k1');
    writeFileSync(path, line, { mode: 0o640 });
    const log = createMemoryLog();
    const keys = loadKeys({ kind: 'file', path }, log.log);
    writeFileSync(path, `${line}\n${line}`);
    expect(await keys?.current()).toBe('k1');
    expect(log.text()).toMatch(/can be read by its group.*keys that were read before stay in use/s);
    expect(log.text()).not.toContain(line.split(':')[1]);
  });

  it('in the environment have an error that names the variable if they are invalid', () => {
    expect(() => loadKeys({ kind: 'text', text: 'k1' }, createMemoryLog().log)).toThrow('Line 1 of ENCRYPTION_KEYS');
  });
});
