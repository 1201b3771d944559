/** Who may run what, at the moment they run it: as their workspace's admins and Slack itself have it. */

import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { effectiveRole, isEnough, type Membership, type Need, type Role } from '../../domain/role.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { AnyCommand } from '../framework/command.ts';
import type { WorkspaceRulesCache } from './workspace-rules-cache.ts';

export type AuthoriseDeps = {
  readonly rules: Pick<WorkspaceRulesCache, 'of'>;
  /** What Slack says of a person now; `onWait` is called before it has to be asked. Rejects where it does not say. */
  readonly membershipOf: (person: Person, onWait: () => void) => Promise<Membership>;
  /** What Slack has said within ten minutes, which is enough for reading; undefined where that is not known. */
  readonly knownMembershipOf: (person: Person) => Membership | undefined;
  readonly record: AuditRecorder;
  readonly clock: Clock;
};

/**
 * @param onWait called before somebody else has to be asked
 * @throws AppError `forbidden` with what is needed and who can give it, `unavailable` where that cannot be found out
 */
export type Authorise = (
  command: Pick<AnyCommand, 'name' | 'needs'>,
  actor: Person | Actor,
  onWait: () => void,
) => Promise<void>;

/** Whoever presses a dead button over and over is written down once. */
const refusedAgainMs = 60_000;
const refusedMax = 10_000;

/**
 * Lets a reader in by what Slack has said within ten minutes. For anything else Slack is asked, and a person of whom it
 * does not say who they are may do nothing.
 */
export function createAuthorise(deps: AuthoriseDeps): Authorise {
  const refused = createLruCache<true>({ clock: deps.clock, ttlMs: refusedAgainMs, entriesMax: refusedMax });
  return async (command, actor, onWait) => {
    const { needs = 'reader' } = command;
    const rules = await deps.rules.of(actor.teamId);
    if (needs === 'reader' && mayRead(rules, actor) && isKnownReader(deps, rules, actor)) return;
    const error = await reasonAgainst(deps, { rules, actor, needs }, onWait);
    if (!error) return;
    const key = [actor.teamId, actor.userId, command.name, error.code].join(':');
    if (!refused.get(key)) {
      refused.set(key, true);
      await deps.record(actor, 'permission refused', { command: command.name, needs, why: whyOf(error) });
    }
    throw error;
  };
}

function isKnownReader(
  { knownMembershipOf }: AuthoriseDeps,
  { granted, settings }: WorkspaceRules,
  actor: Person | Actor,
): boolean {
  const membership = knownMembershipOf(actor);
  return (
    membership !== undefined &&
    effectiveRole(membership, granted.get(actor.userId), settings.guestReaders) !== undefined
  );
}

function mayRead({ settings: { readerChannels } }: WorkspaceRules, actor: Person | Actor): boolean {
  return readerChannels === null || ('channelId' in actor && readerChannels.includes(actor.channelId));
}

type Case = { readonly rules: WorkspaceRules; readonly actor: Person | Actor; readonly needs: Need };

async function reasonAgainst(
  { membershipOf }: AuthoriseDeps,
  { rules, actor, needs }: Case,
  onWait: () => void,
): Promise<AppError | undefined> {
  let membership: Membership;
  try {
    membership = await membershipOf(actor, onWait);
  } catch (cause) {
    return notChecked(cause);
  }
  const held = effectiveRole(membership, rules.granted.get(actor.userId), rules.settings.guestReaders);
  if (held === undefined) return shutOut(membership, rules);
  if (needs === 'reader') return held === 'reader' && !mayRead(rules, actor) ? readElsewhere(rules) : undefined;
  return isEnough(held, needs) ? undefined : lacking(needs, membership, rules);
}

/** @returns for the audit, in which a sentence would be too long */
function whyOf({ code }: AppError): string {
  return code === 'forbidden' ? 'no right' : 'not checked';
}

function notChecked(cause: unknown): AppError {
  return new AppError('unavailable', 'Slack did not say whether you may do that, so I have not done it.', {
    hint: 'Please try again in a minute.',
    isRetryable: true,
    cause,
  });
}

/** @param membership of somebody who may not even read @param rules left out where nobody is to be named @returns one sentence */
export function shutOut(membership: Membership, rules?: WorkspaceRules): AppError {
  if (membership === 'deactivated') {
    return new AppError('forbidden', 'Slack says that your account is deactivated, so I do nothing for it.');
  }
  if (membership === 'external') {
    return new AppError(
      'forbidden',
      'I answer only members of this workspace, and Slack says that you belong to another.',
    );
  }
  const sentence = 'Guests of this workspace may not use this bot until one of its admins allows it in the settings.';
  return new AppError('forbidden', sentence, rules && { userIds: adminIds(rules) });
}

function readElsewhere({ settings: { readerChannels } }: WorkspaceRules): AppError {
  return new AppError('forbidden', 'The admins of this bot chose the channels in which everybody may ask it.', {
    hint: 'Elsewhere, and in direct messages, it answers operators and admins only.',
    channelIds: readerChannels ?? [],
  });
}

function lacking(needs: Need, membership: Membership, rules: WorkspaceRules): AppError {
  const sentence = `Only an ${needs} of this bot may do that.`;
  if (membership === 'guest' || membership === 'single_channel_guest') {
    return new AppError('forbidden', sentence, { hint: 'Guests of this workspace can ask, and nothing else.' });
  }
  return new AppError('forbidden', sentence, {
    hint: 'Admins of this workspace are admins of this bot too. They, and whoever they named, can give you the right in its settings.',
    userIds: adminIds(rules),
  });
}

/** @returns those whom an admin named */
function adminIds({ granted }: WorkspaceRules): readonly string[] {
  return [...granted].flatMap(([userId, role]: readonly [string, Role]) => (role === 'admin' ? [userId] : []));
}
