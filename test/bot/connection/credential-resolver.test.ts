/** The key with which a workspace reaches its query service. */
import { expect, test } from 'vitest';
import { CredentialResolver } from '../../../src/bot/connection/credential-resolver.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import { testRuntime } from '../../support/bot/runtime.ts';
import { openTestStore } from '../../support/bot/store.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';

const key = { endpoint: 'https://service.example/graphql', apiKey: 'operators-key' };

test.each([
  ['the operator’s key is everybody’s', key, ['operators-key', 'operators-key']],
  ['one that names a workspace is that one’s alone', { ...key, teamId: 'T1' }, ['operators-key', 'unauthorized']],
  ['without one nobody has any', undefined, ['unauthorized', 'unauthorized']],
])('without a stored credential, %s', async (_, defaultKey, expected) => {
  const store = await openTestStore();
  const runtime = testRuntime(() => 0, createMemoryLog().log);
  const audit = createAuditLog(store, runtime);
  const endpoints = [key.endpoint] as const;
  const resolver = new CredentialResolver({ runtime, store, audit, endpoints, defaultKey });
  const used = ['T1', 'T2'].map((teamId) =>
    resolver.of(teamId).then(
      ({ apiKey }) => apiKey,
      ({ code }: { readonly code: string }) => code,
    ),
  );
  expect(await Promise.all(used)).toEqual(expected);
});
