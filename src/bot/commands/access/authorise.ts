/** Authorises a command when it runs: by the person's Slack membership, their role and the workspace's settings. */

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
  /** The person's membership according to Slack. Calls `onWait` before a request; rejects if Slack does not answer. */
  readonly membershipOf: (person: Person, onWait: () => void) => Promise<Membership>;
  /** The membership that Slack gave within the last ten minutes, enough for a reader; undefined if there is none. */
  readonly knownMembershipOf: (person: Person) => Membership | undefined;
  readonly record: AuditRecorder;
  readonly clock: Clock;
};

/**
 * @param onWait called before a request to Slack
 * @throws AppError `forbidden` with the role needed and who can grant it, `unavailable` if Slack does not answer
 */
export type Authorise = (
  command: Pick<AnyCommand, 'name' | 'needs'>,
  actor: Person | Actor,
  onWait: () => void,
) => Promise<void>;

/** Repeated refusals of one command within this time make one audit entry. */
const refusedAgainMs = 60_000;
const refusedMax = 10_000;

/**
 * For a reader, a membership at most ten minutes old is enough. Anything else asks Slack, and a person whose membership
 * Slack does not confirm may do nothing.
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

/** @returns a short reason for the audit */
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

/** @param membership of a person who may not read @param rules if given, the error names the admins */
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
    hint: 'Admins of this workspace are admins of this bot too. They, and the people they named, can give you the right in its settings.',
    userIds: adminIds(rules),
  });
}

/** @returns ids of the people to whom the admin role was granted */
function adminIds({ granted }: WorkspaceRules): readonly string[] {
  return [...granted].flatMap(([userId, role]: readonly [string, Role]) => (role === 'admin' ? [userId] : []));
}
