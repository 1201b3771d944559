/** The app leaves a workspace, or loses a token, and hears of it: `app_uninstalled` and `tokens_revoked`. */
import type { AppEvents } from '../interactions/app-events.ts';
import type { Workspace } from './workspace.ts';

type Farewell = 'app_uninstalled' | 'tokens_revoked';

export type Leaving = {
  /** Slack promises no order; one that is left out was lost on the way. */
  readonly events?: readonly Farewell[];
};

export type Lifecycle = {
  /** @returns when the first delivery of each event is over, one after the other */
  readonly uninstall: (workspace: Workspace, leaving?: Leaving) => Promise<void>;
  readonly revoke: (workspace: Workspace, token: string) => void;
};

const usualOrder: readonly Farewell[] = ['tokens_revoked', 'app_uninstalled'];

export function createLifecycle({ send }: Pick<AppEvents, 'send'>): Lifecycle {
  const tell = (workspace: Workspace, type: Farewell) => {
    const tokens = { oauth: [], bot: [workspace.botUserId] };
    return send(type === 'tokens_revoked' ? { type, tokens } : { type }, workspace);
  };
  return {
    uninstall: async (workspace, { events = usualOrder } = {}) => {
      workspace.grants.uninstall();
      for (const type of events) await tell(workspace, type);
    },
    revoke: (workspace, token) => {
      workspace.grants.revoke(token);
      void tell(workspace, 'tokens_revoked');
    },
  };
}
