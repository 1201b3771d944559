/** Keys of organizations on several servers: the directory says which organization, and so which server, has a key. */
import type { KeyRecords, KeyUse, ManagedKey } from '../keys.ts';
import type { ServerStores } from './connections.ts';
import type { Directory } from './directory.ts';
import { type Route, unknownOrganization } from './route.ts';

export type ServerKeysDeps = {
  readonly directory: Directory;
  readonly stores: ServerStores;
  readonly route: Route;
  /** Writes to the directory which organization has a new key. */
  readonly placeKey: (keyId: string, organizationId: string) => Promise<void>;
  /** The records of the directory's own server. @throws AppError `unavailable` */
  readonly ownKeys: () => KeyRecords;
};

export function createServerKeys({ directory, stores, route, placeKey, ownKeys }: ServerKeysDeps): KeyRecords {
  const keysOfKey = async (keyId: string) => {
    const organizationId = await directory.organizationOfKey(keyId);
    const store = organizationId === null ? null : await route.find(organizationId);
    return store === null ? null : { organizationId, keys: store.keys };
  };
  return {
    async key(id) {
      const found = await keysOfKey(id);
      const row = found === null ? null : await found.keys.key(id);
      return row?.organizationId === found?.organizationId ? row : null;
    },
    managedKey: async (id) => (await keysOfKey(id))?.keys.managedKey(id) ?? null,
    async putKey(record) {
      if ((await directory.find(record.organizationId)) === null) throw unknownOrganization(record.organizationId);
      await placeKey(record.id, record.organizationId);
      await route.write(record.organizationId, ({ keys }) => keys.putKey(record));
    },
    async replaceKey(id, expiresAt, record) {
      await placeKey(record.id, record.organizationId);
      return route.write(record.organizationId, ({ keys }) => keys.replaceKey(id, expiresAt, record));
    },
    revokeKey: (organizationId, id, at) =>
      route.write(organizationId, ({ keys }) => keys.revokeKey(organizationId, id, at)),
    async keys(organizationId) {
      const owners = organizationId === null ? directory.organizations() : [organizationId];
      const lists = await Promise.all(owners.map(async (owner) => (await route.find(owner))?.keys.keys(owner) ?? []));
      return lists.flat().sort(byAge);
    },
    recordUses: (uses) => recordUses(uses, directory, stores),
    async storedSecret(name, make) {
      return stores.all().has('main') ? ownKeys().storedSecret(name, make) : directory.storedSecret(name);
    },
  };
}

function byAge(a: ManagedKey, b: ManagedKey): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** Uses on a server that does not answer are lost: the next use is recorded again. */
async function recordUses(uses: readonly KeyUse[], directory: Directory, stores: ServerStores): Promise<void> {
  const byServer = new Map<string, KeyUse[]>();
  for (const use of uses) {
    const organizationId = await directory.organizationOfKey(use.id);
    if (organizationId === null) continue;
    const server = directory.serverOf(organizationId);
    byServer.set(server, [...(byServer.get(server) ?? []), use]);
  }
  await Promise.all([...byServer].map(([server, own]) => stores.all().get(server)?.keys.recordUses(own)));
}
