/** Services behind every listener, each under one name. */
import type { Dispatch, Submit } from '../../commands/framework/dispatch.ts';
import type { HomeOf } from '../../commands/home.ts';
import type { LinkPreviews } from '../../commands/link-preview.ts';
import type { NameSearch, NamesIn, ZoneSearch } from '../../commands/lookup/menu-search.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { IdempotencyKeys, Leases } from '../../store/repositories/coordination.ts';
import type { Store } from '../../store/store.ts';
import type { OutboundSlack } from '../outbound/outbound-slack.ts';
import type { WaitingTimes } from '../waiting-times.ts';

export interface InboundServices {
  readonly runtime: Runtime;
  readonly slack: OutboundSlack;
  /** Threads are deliveries of its outbox. */
  readonly store: Pick<Store, 'outbox' | 'postPermits'>;
  readonly dispatch: Dispatch;
  /** True if the answer to a line will be a form. */
  readonly opensModal: (line: string) => boolean;
  readonly submit: Submit;
  readonly searchNames: NameSearch;
  readonly namesIn: NamesIn;
  readonly searchZones: ZoneSearch;
  /** Facts for a person's Home tab. If left out, the tab stays empty. */
  readonly homeOf?: HomeOf;
  /** Previews of links to the platform's web page. If left out, links stay as they are. */
  readonly previews?: LinkPreviews;
  /** True if the configuration enables Work Objects for the app. */
  readonly hasWorkObjects?: boolean;
  /** A channel was deleted; it never comes back. */
  readonly onChannelDeleted?: (channel: { readonly teamId: string; readonly channelId: string }) => Promise<void>;
  /** Includes the leading slash. */
  readonly slashCommand: string;
  readonly waitingTimes: WaitingTimes;
  /** Parts of the store by which the processes of one app share deliveries, forms and presses; undefined for a single process. */
  readonly shared?: { readonly idempotencyKeys: IdempotencyKeys; readonly leases: Pick<Leases, 'take'> };
}
