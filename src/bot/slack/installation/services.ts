/** Services for access to workspaces, each under one name. */
import type { Runtime } from '../../domain/runtime.ts';
import type { OutboxPosting } from '../../outbox/ports.ts';
import type { Wait } from '../../outbox/timing.ts';
import type { AuditLog } from '../../store/audit-recorder.ts';
import type { Store } from '../../store/store.ts';
import type { Posting } from '../outbound/delivery/posting.ts';
import type { SlackClientDeps, SlackClients } from '../outbound/web-api/client.ts';
import type { OperatorPages } from './pages.ts';

export interface SlackCalls {
  readonly runtime: Runtime;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly web: SlackClientDeps;
  readonly clients: SlackClients;
  readonly posting: Posting;
  readonly outboxPosting: OutboxPosting;
  /** Aborts when the bot stops. */
  readonly stopping: AbortSignal;
  readonly wait: Wait | undefined;
}

/** Identity and address of the app, and the stores for its installations. */
export interface InstallSettings extends OperatorPages {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Origin, without a path. */
  readonly publicUrl: string;
  /** True if pasted links to the platform's web page are expanded. */
  readonly hasLinks?: boolean;
  readonly store: Store;
  readonly audit: AuditLog;
  /** Called for a workspace that is gone, so that caches can drop what they know of it. */
  readonly onGone: (teamId: string) => void;
}
