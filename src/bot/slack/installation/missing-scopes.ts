/** Installations that lack required scopes: reports each to its installer once a day, and their number in `/readyz`. */
import type { Store } from '../../store/store.ts';
import { missingScopesMessage } from '../../views/notices/workspace-notices.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { AccessDeps } from './access.ts';
import { installPath } from './pages.ts';
import { missingScopes, scopeWords } from './scopes.ts';

export type MissingScopes = {
  /**
   * Reports the required scopes that are not among the granted ones. Never rejects.
   * @param id of the installation
   * @param granted as Slack lists them; undefined if it lists none
   */
  readonly review: (id: string, botToken: string, granted: readonly string[] | undefined) => Promise<void>;
  /** Drops what is known of an installation that is gone or new. */
  readonly forget: (id: string) => void;
  /** @returns lines for an operator; none names a workspace */
  readonly notes: () => readonly string[];
};

/** A little less than a day, so that the reports keep their time of day. */
const reportEveryMs = 23.5 * 60 * 60_000;

export type MissingScopesDeps = AccessDeps & {
  readonly store: Pick<Store, 'installations' | 'idempotencyKeys'>;
  /** Origin, without a path. */
  readonly publicUrl: string;
};

export function createMissingScopes(deps: MissingScopesDeps): MissingScopes {
  const lacking = new Map<string, readonly string[]>();
  return {
    review: async (id, botToken, granted) => {
      const missing = missingScopes(granted);
      if (missing.length === 0) return void lacking.delete(id);
      lacking.set(id, missing);
      await report(deps, id, botToken, missing).catch((error: unknown) =>
        deps.log.error(
          { teamId: id, error: describe(error) },
          'installer could not be notified of missing permissions',
        ),
      );
    },
    forget: (id) => void lacking.delete(id),
    notes: () => {
      const scopes = [...new Set([...lacking.values()].flat())];
      if (scopes.length === 0) return [];
      return [`slack: required permissions are missing in ${lacking.size} of the installations: ${scopeWords(scopes)}`];
    },
  };
}

async function report(
  { store, publicUrl, log, notifyUser }: MissingScopesDeps,
  id: string,
  botToken: string,
  missing: readonly string[],
): Promise<void> {
  if (!(await store.idempotencyKeys.claim(id, 'missing scopes', reportEveryMs))) return;
  log.error({ teamId: id, missing }, 'an installation lacks permissions that the bot needs');
  const installation = await store.installations.find(id);
  if (!installation) return;
  const words = { scopes: scopeWords(missing), installUrl: publicUrl + installPath };
  await notifyUser({ botToken }, installation.installedBy, missingScopesMessage(words));
}
