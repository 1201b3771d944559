/** Builds the context that a command or a form works with. */

import type { Clock } from '../../../shared/time/clock.ts';
import type { Connections } from '../../connection/connections.ts';
import type { Person } from '../../domain/person.ts';
import { createWebLinks, type WebLinks } from '../../domain/web-links.ts';
import type { Message } from '../../views/blocks/message.ts';
import { serviceBusyMessage } from '../../views/notices/problem.ts';
import type { AccessControl } from '../access/access-control.ts';
import type { AnyCommand, CommandContext } from './command.ts';
import type { DigestServices } from './digest-services.ts';

export type ContextDeps = {
  readonly commands: readonly AnyCommand[];
  /** The person's IANA time zone; `onWait` is called before Slack has to be asked. */
  readonly zoneOf: (person: Person, onWait: () => void) => Promise<string>;
  readonly drawPng: CommandContext['drawPng'];
  readonly slashCommand: string;
  /** No links if left out. */
  readonly webLinks?: WebLinks;
  readonly clock: Clock;
  readonly digests: DigestServices;
} & Pick<Connections, 'queryClientFor' | 'connectionOf'> &
  Pick<AccessControl, 'settingsOf' | 'administrationOf'>;

export type ContextOptions = {
  /** Bypasses the cache. */
  readonly isFresh: boolean;
  readonly onWait: () => void;
  /** Called after `onWait`. */
  readonly onProgress?: ((message: Message) => void) | undefined;
};

const noWebLinks = createWebLinks();

/** Shorter pauses are not shown. */
const pauseToldMs = 2_000;

export function contextFor<Who extends Person>(
  deps: ContextDeps,
  actor: Who,
  { isFresh, onWait, onProgress }: ContextOptions,
): Omit<CommandContext, 'actor' | 'operations'> & { readonly actor: Who } {
  const progress = (message: Message) => {
    onWait();
    onProgress?.(message);
  };
  const onPause = (waitMs: number) => {
    if (waitMs >= pauseToldMs) progress(serviceBusyMessage(waitMs));
  };
  return {
    actor,
    clock: deps.clock,
    ask: () => deps.queryClientFor(actor.teamId, { isFresh, onWait, onPause }),
    progress,
    zone: () => deps.zoneOf(actor, onWait),
    drawPng: deps.drawPng,
    commands: deps.commands,
    slashCommand: deps.slashCommand,
    webLinks: deps.webLinks ?? noWebLinks,
    settings: () => deps.settingsOf(actor.teamId),
    connection: () => deps.connectionOf(actor),
    administration: () => deps.administrationOf(actor),
    digests: deps.digests,
  };
}
