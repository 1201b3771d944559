/** Hourly upkeep: sends owed welcomes, deletes uninstalled workspaces and detects workspaces that removed the bot. */

import { hourMs, type Repetition, repeat } from '../../../shared/time/repeat.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { Store } from '../../store/store.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { InstallationHealth } from './installation-health.ts';
import { missingScopes } from './scopes.ts';
import type { Welcome } from './welcome.ts';

type UpkeepServices = {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly health: InstallationHealth;
  readonly welcome: Welcome;
};

/** No data stays longer than a day, including the hour until the next round. */
const retentionMs = 23 * hourMs;
/** A little less than a day, so that the checks keep their time of day. */
const checkEveryMs = 23.5 * hourMs;
const pageSize = 100;

export function createUpkeep(services: UpkeepServices): Repetition {
  const onError = (error: unknown) =>
    services.runtime.log.error({ error: describe(error) }, 'maintenance failed, retrying in an hour');
  return repeat((stopping) => pass(services, stopping).catch(onError), hourMs);
}

async function pass({ store, health, welcome, runtime }: UpkeepServices, signal: AbortSignal): Promise<void> {
  const { clock, log } = runtime;
  await welcome.send();
  const before = clock() - retentionMs;
  for (const teamId of await store.installations.uninstalledBefore(before)) {
    // A workspace that cannot be deleted now does not block the others or the rest of the upkeep.
    const isDeleted = await store.deleteUninstalled(teamId, before).catch((error: unknown) => {
      log.error({ teamId, error: describe(error) }, 'workspace could not be deleted, retrying in an hour');
    });
    if (isDeleted) log.info({ teamId }, 'data of a workspace was deleted');
  }
  for await (const installation of installed(store)) {
    if (signal.aborted) return;
    const { teamId, enterpriseId, isEnterpriseInstall } = installation;
    // One of all processes asks, once a day.
    const isDue = await store.idempotencyKeys.claim(teamId, 'token check', checkEveryMs);
    if (isEnterpriseInstall && enterpriseId !== teamId) await (isDue && health.checkGrant(installation));
    // A new version of the bot may need further scopes. It reports at the start which installations lack them.
    else if (isDue || installation.refusedSince !== null || missingScopes(installation.scopes).length > 0)
      await health.check(teamId);
  }
}

async function* installed({ installations }: Store): AsyncGenerator<Installation> {
  let after = '';
  for (;;) {
    const page = await installations.page(after, pageSize);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.teamId;
  }
}
