/** Access control: authorises a command by Slack membership, role and the workspace's settings, and limits commands per person. */
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { effectiveRole, isEnough, type Membership, type Need, type Role } from '../../domain/role.ts';
import type { WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import {
  type AuditedChange,
  type AuditedChangeDeps,
  createAuditedChange,
  createAuditRecorder,
} from '../../store/audit-recorder.ts';
import type { Store } from '../../store/store.ts';
import type { AnyCommand } from '../framework/command.ts';
import {
  type Administration,
  createAdministration,
  createWorkspaceRulesCache,
  type WorkspaceRulesCache,
  type WorkspaceRulesCacheDeps,
} from './workspace-rules.ts';

export type AccessControl = {
  readonly authorise: Authorise;
  /** Roles and settings of a workspace. Rejects with AppError `unavailable` if they are not known. */
  readonly rulesOf: (teamId: string) => Promise<WorkspaceRules>;
  /** The settings alone. */
  readonly settingsOf: (teamId: string) => Promise<WorkspaceSettings>;
  readonly administrationOf: (person: Person) => Administration;
  /**
   * @returns true if the person may read, and everybody may read in this channel. False also if Slack does not say who
   *   the person is. Not audited: the person did not ask for anything.
   */
  readonly mayPreview: (actor: Actor) => Promise<boolean>;
  /** One for all that a person may ask: commands, buttons, forms, menus, Home and links. */
  readonly commandQuota: CommandQuota;
  readonly record: AuditRecorder;
  readonly audited: AuditedChange;
};

/** The part of access control that needs no membership from Slack. */
export type AccessRecords = Pick<AccessControl, 'audited' | 'record'> & { readonly rules: WorkspaceRulesCache };

export type AccessRecordsDeps = WorkspaceRulesCacheDeps & AuditedChangeDeps & { readonly store: Pick<Store, 'audit'> };

export function createAccessRecords(deps: AccessRecordsDeps): AccessRecords {
  return {
    rules: createWorkspaceRulesCache(deps),
    record: createAuditRecorder({ ...deps, audit: deps.store.audit }),
    audited: createAuditedChange(deps),
  };
}

export type AccessControlDeps = AccessRecords &
  Pick<AuthoriseDeps, 'membershipOf' | 'knownMembershipOf'> & {
    readonly store: Pick<Store, 'audit' | 'roles' | 'settings'>;
    readonly clock: Clock;
    readonly log: Logger;
  };

export function createAccessControl(deps: AccessControlDeps): AccessControl {
  const { rules, record, audited } = deps;
  return {
    authorise: createAuthorise(deps),
    rulesOf: rules.of,
    settingsOf: async (teamId) => (await rules.of(teamId)).settings,
    administrationOf: createAdministration(deps),
    mayPreview: async (actor) => {
      const known = await rules.of(actor.teamId);
      if (!mayRead(known, actor)) return false;
      if (isKnownReader(deps, known, actor)) return true;
      return (await refusalError(deps, { rules: known, actor, needs: 'reader' })) === undefined;
    },
    commandQuota: createCommandQuota(deps.clock),
    record,
    audited,
  };
}

export type AuthoriseDeps = {
  readonly rules: Pick<WorkspaceRulesCache, 'of'>;
  /** The person's membership according to Slack; rejects if Slack does not answer. */
  readonly membershipOf: (person: Person) => Promise<Membership>;
  /** The membership that Slack gave within the last ten minutes, enough for a reader; undefined if there is none. */
  readonly knownMembershipOf: (person: Person) => Membership | undefined;
  readonly record: AuditRecorder;
  readonly clock: Clock;
};

/** @throws AppError `forbidden` with the role needed and who can grant it, `unavailable` if Slack does not answer */
export type Authorise = (command: Pick<AnyCommand, 'name' | 'needs'>, actor: Person | Actor) => Promise<void>;

/** Repeated refusals of one command within this time make one audit entry. */
const refusedAgainMs = 60_000;
const refusedMax = 10_000;

/**
 * For a reader, a membership at most ten minutes old is enough. Anything else asks Slack, and a person whose membership
 * Slack does not confirm may do nothing.
 */
export function createAuthorise(deps: AuthoriseDeps): Authorise {
  const refused = createLruCache<true>({ clock: deps.clock, ttlMs: refusedAgainMs, entriesMax: refusedMax });
  return async (command, actor) => {
    const { needs = 'reader' } = command;
    const rules = await deps.rules.of(actor.teamId);
    if (needs === 'reader' && mayRead(rules, actor) && isKnownReader(deps, rules, actor)) return;
    const error = await refusalError(deps, { rules, actor, needs });
    if (!error) return;
    const key = [actor.teamId, actor.userId, command.name, error.code].join(':');
    if (!refused.get(key)) {
      refused.set(key, true);
      await deps.record(actor, 'permission refused', { command: command.name, needs, why: auditReason(error) });
    }
    throw error;
  };
}

function isKnownReader(
  { knownMembershipOf }: Pick<AuthoriseDeps, 'knownMembershipOf'>,
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

type RoleCheck = { readonly rules: WorkspaceRules; readonly actor: Person | Actor; readonly needs: Need };

async function refusalError(
  { membershipOf }: Pick<AuthoriseDeps, 'membershipOf'>,
  { rules, actor, needs }: RoleCheck,
): Promise<AppError | undefined> {
  let membership: Membership;
  try {
    membership = await membershipOf(actor);
  } catch (cause) {
    return uncheckedError(cause);
  }
  const role = effectiveRole(membership, rules.granted.get(actor.userId), rules.settings.guestReaders);
  if (role === undefined) return membershipError(membership, rules);
  if (needs === 'reader') return role === 'reader' && !mayRead(rules, actor) ? channelError(rules) : undefined;
  return isEnough(role, needs) ? undefined : roleError(needs, membership, rules);
}

function auditReason({ code }: AppError): string {
  return code === 'forbidden' ? 'no right' : 'not checked';
}

function uncheckedError(cause: unknown): AppError {
  return new AppError('unavailable', 'Slack did not return your permissions, so nothing was done.', {
    hint: 'Try again in a minute.',
    isRetryable: true,
    cause,
  });
}

/** @param membership of a person who may not read @param rules if given, the error names the admins */
export function membershipError(membership: Membership, rules?: WorkspaceRules): AppError {
  if (membership === 'deactivated') {
    return new AppError(
      'forbidden',
      'Slack says that your account is deactivated, so nothing was done. Ask a workspace admin.',
    );
  }
  if (membership === 'external') {
    return new AppError(
      'forbidden',
      'This bot answers only members of this workspace, and Slack does not list you as one. Ask a member of the workspace to run the command for you.',
    );
  }
  return new AppError('forbidden', 'As a guest of this workspace, you cannot use this bot.', {
    hint: 'Ask a workspace admin or another bot admin to allow it in the bot’s settings, or ask a member to share an answer with you.',
    ...(rules && { userIds: adminIds(rules) }),
  });
}

function channelError(rules: WorkspaceRules): AppError {
  const channelIds = rules.settings.readerChannels ?? [];
  const hint =
    channelIds.length === 0
      ? 'No channel is chosen yet. Ask a workspace admin or another bot admin to choose one.'
      : 'To use it elsewhere, ask a workspace admin or another bot admin to allow it.';
  const sentence = 'Members can use this bot only in the channels that a bot admin chose for it.';
  return new AppError('forbidden', sentence, { hint, userIds: adminIds(rules), channelIds });
}

function roleError(needs: Need, membership: Membership, rules: WorkspaceRules): AppError {
  const sentence =
    needs === 'admin' ? 'Only bot admins can do that.' : 'Only bot operators and bot admins can do that.';
  if (membership === 'guest' || membership === 'single_channel_guest') {
    return new AppError('forbidden', sentence, { hint: 'Guests of this workspace can only read.' });
  }
  return new AppError('forbidden', sentence, {
    hint: `Ask a workspace admin or another bot admin to make you a bot ${needs === 'admin' ? 'admin' : 'operator'} in the bot’s settings.`,
    userIds: adminIds(rules),
  });
}

/** @returns ids of the people to whom the admin role was granted */
function adminIds({ granted }: WorkspaceRules): readonly string[] {
  return [...granted].flatMap(([userId, role]: readonly [string, Role]) => (role === 'admin' ? [userId] : []));
}

const requestsMax = 10;
const spanMs = 10_000;
/** People counted at once. */
const peopleMax = 50_000;
/** Cost of the suggestions that a menu asks for while a person types, in requests. */
export const suggestionCost = 1 / 6;

/** Requests of one person, in this process: ten within ten seconds. */
export type CommandQuota = {
  /** @param cost in requests @throws AppError `rate_limited` for more than the quota */
  readonly acquire: (person: Person, cost?: number) => void;
};

export function createCommandQuota(clock: Clock): CommandQuota {
  const limiter = createRateLimiter(clock, requestsMax);
  return {
    acquire: (person, cost = 1) => {
      const waitMs = limiter.acquire(person, cost);
      if (waitMs === 0) return;
      const seconds = Math.max(1, Math.ceil(waitMs / 1000));
      throw new AppError(
        'rate_limited',
        `Rate limit: ${requestsMax} requests per ${spanMs / 1000} s. This request was not run. Try again in ${seconds} s.`,
      );
    },
  };
}

type Use = { readonly at: number; readonly cost: number };

/** @param max the sum of the costs of one person within ten seconds */
export function createRateLimiter(clock: Clock, max: number) {
  const usesByPerson = createLruCache<readonly Use[]>({ clock, ttlMs: spanMs, entriesMax: peopleMax });
  return {
    /** @returns 0 if the person may go on, which counts; otherwise the milliseconds to wait */
    acquire({ teamId, userId }: Person, cost = 1): number {
      const person = `${teamId}:${userId}`;
      const now = clock();
      const uses = (usesByPerson.get(person) ?? []).filter(({ at }) => at > now - spanMs);
      const sum = uses.reduce((total, use) => total + use.cost, cost);
      // The sum of sixths is not exact.
      const isTooMuch = sum > max + 1e-9;
      usesByPerson.set(person, isTooMuch ? uses : [...uses, { at: now, cost }]);
      return isTooMuch ? (uses[0]?.at ?? now) + spanMs - now : 0;
    },
  };
}
