/** Reports an installation that lacks required scopes, once a day: in the log and to the person who installed it. */
import type { Store } from '../../store/store.ts';
import { missingScopesMessage } from '../../views/notices/workspace-notices.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { AccessDeps } from './access.ts';
import { installPath } from './pages.ts';
import { scopeWords } from './scopes.ts';

/** A little less than a day, so that it does not wander through the day. */
const reportEveryMs = 23.5 * 60 * 60_000;

export type MissingScopesDeps = AccessDeps & {
  readonly store: Pick<Store, 'installations' | 'idempotencyKeys'>;
  /** An origin. */
  readonly publicUrl: string;
};

/** @param id of the installation. Never rejects */
export type ReportMissingScopes = (id: string, botToken: string, missing: readonly string[]) => Promise<void>;

export function createMissingScopes(deps: MissingScopesDeps): ReportMissingScopes {
  const { store, publicUrl, clock, log, notifyUser } = deps;
  return async (id, botToken, missing) => {
    try {
      if (!(await store.idempotencyKeys.claim(id, 'missing scopes', clock(), reportEveryMs))) return;
      log.error({ teamId: id, missing }, 'an installation lacks permissions that the bot needs');
      const installation = await store.installations.find(id);
      if (!installation) return;
      const words = { scopes: scopeWords(missing), installUrl: publicUrl + installPath };
      await notifyUser({ botToken }, installation.installedBy, missingScopesMessage(words));
    } catch (error) {
      log.error({ teamId: id, error: describe(error) }, 'missing permissions could not be told');
    }
  };
}
