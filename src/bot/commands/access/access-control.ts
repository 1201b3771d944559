/** Access control: authorises a command by Slack membership, role and the workspace's settings. */
import { createLruCache, type LruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Actor, Person } from '../../domain/person.ts';
import { effectiveRole, isEnough, type Membership, type Need } from '../../domain/role.ts';
import type { Runtime } from '../../domain/runtime.ts';
import type { RulesChange, WorkspaceRules } from '../../domain/workspace-rules.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { AuditLog } from '../../store/audit-recorder.ts';
import type { Store } from '../../store/store.ts';
import { CommandQuota } from './person-limit.ts';
import { changeRules, readRules, type WorkspaceRulesCache } from './workspace-rules.ts';

/** Reads people's membership and zone from Slack, with a cache. */
export interface Members {
  /** @returns the person's IANA time zone; `Etc/UTC` if Slack does not say. Never rejects */
  readonly zoneOf: (person: Person) => Promise<string>;
  /** @returns the person's membership, at most a minute old. Rejects with AppError `unavailable` if Slack does not say */
  readonly membershipOf: (person: Person) => Promise<Membership>;
  /** Makes no call; enough for a reader. @returns undefined if Slack has not answered within the last ten minutes */
  readonly knownMembershipOf: (person: Person) => Membership | undefined;
  /** Makes no call. @returns ids of Slack's admins among the people who used the bot in the last hours */
  readonly knownAdminIds: (teamId: string) => readonly string[];
}

type AccessServices = {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly audit: AuditLog;
  readonly rules: WorkspaceRulesCache;
  readonly members: Members;
};

/** Repeated refusals of one command within this time make one audit entry. */
const refusedAgainMs = 60_000;
const refusedMax = 10_000;

export class AccessControl {
  /** One for all that a person may ask: commands, buttons, forms, menus, Home and links. */
  readonly commandQuota: CommandQuota;
  readonly #services: AccessServices;
  readonly #refused: LruCache<true>;

  constructor(services: AccessServices) {
    const { clock } = services.runtime;
    this.#services = services;
    this.#refused = createLruCache({ clock, ttlMs: refusedAgainMs, entriesMax: refusedMax });
    this.commandQuota = new CommandQuota(clock);
  }

  /** Roles and settings of a workspace. Rejects with AppError `unavailable` if they are not known. */
  rulesOf(teamId: string): Promise<WorkspaceRules> {
    return this.#services.rules.of(teamId);
  }

  /** The settings alone. */
  async settingsOf(teamId: string): Promise<WorkspaceSettings> {
    return (await this.rulesOf(teamId)).settings;
  }

  /** Ids of the admins whom the bot knows: by its own roles, and Slack's. Other admins of the workspace are admins, too. Never rejects. */
  async adminIds(teamId: string): Promise<readonly string[]> {
    const rules = await this.rulesOf(teamId).catch(() => undefined);
    const withRole = [...(rules?.granted ?? [])].flatMap(([userId, role]) => (role === 'admin' ? [userId] : []));
    return [...new Set([...withRole, ...this.#services.members.knownAdminIds(teamId)])];
  }

  /** Reads the store, not the cache. */
  storedRulesOf(teamId: string): Promise<WorkspaceRules> {
    return readRules(this.#services.store, teamId);
  }

  /**
   * Takes effect at once in this process, within a minute in others. The caller has checked that the person is an admin.
   * @returns the differences
   */
  async changeRules(person: Person, wanted: WorkspaceRules): Promise<RulesChange> {
    const { runtime, audit, rules } = this.#services;
    try {
      return await audit.audited((step, record) => changeRules(step, record, { person, wanted, at: runtime.clock() }));
    } finally {
      rules.forget(person.teamId);
    }
  }

  /**
   * For a reader, a membership at most ten minutes old is enough. Anything else asks Slack, and a person whose membership
   * Slack does not confirm may do nothing.
   * @throws AppError `forbidden` with the role needed and who can grant it, `unavailable` if Slack does not answer
   */
  async authorise(command: { readonly name: string; readonly needs?: Need }, actor: Person | Actor): Promise<void> {
    const { needs = 'reader' } = command;
    const rules = await this.rulesOf(actor.teamId);
    if (needs === 'reader' && mayRead(rules, actor) && this.#isKnownReader(rules, actor)) return;
    const error = await this.#refusalError(rules, actor, needs);
    if (!error) return;
    const key = [actor.teamId, actor.userId, command.name, error.code].join(':');
    if (!this.#refused.get(key)) {
      this.#refused.set(key, true);
      const detail = { command: command.name, needs, why: error.code === 'forbidden' ? 'no right' : 'not checked' };
      await this.#services.audit.record(actor, 'permission refused', detail);
    }
    throw error;
  }

  /**
   * @returns true if the person may read, and everybody may read in this channel. False also if Slack does not say who
   *   the person is. Not audited: the person did not ask for anything.
   */
  async mayPreview(actor: Actor): Promise<boolean> {
    const rules = await this.rulesOf(actor.teamId);
    if (!mayRead(rules, actor)) return false;
    return this.#isKnownReader(rules, actor) || (await this.#refusalError(rules, actor, 'reader')) === undefined;
  }

  #isKnownReader({ granted, settings }: WorkspaceRules, actor: Person | Actor): boolean {
    const membership = this.#services.members.knownMembershipOf(actor);
    return (
      membership !== undefined &&
      effectiveRole(membership, granted.get(actor.userId), settings.guestReaders) !== undefined
    );
  }

  async #refusalError(rules: WorkspaceRules, actor: Person | Actor, needs: Need): Promise<AppError | undefined> {
    let membership: Membership;
    try {
      membership = await this.#services.members.membershipOf(actor);
    } catch (cause) {
      return uncheckedError(cause);
    }
    const role = effectiveRole(membership, rules.granted.get(actor.userId), rules.settings.guestReaders);
    if (role === undefined) return membershipError(membership);
    if (needs === 'reader') return role === 'reader' && !mayRead(rules, actor) ? channelError(rules) : undefined;
    return isEnough(role, needs) ? undefined : roleError(needs, membership);
  }
}

function mayRead({ settings: { readerChannels } }: WorkspaceRules, actor: Person | Actor): boolean {
  return readerChannels === null || ('channelId' in actor && readerChannels.includes(actor.channelId));
}

function uncheckedError(cause: unknown): AppError {
  return new AppError('unavailable', 'Slack did not say what you may do, so nothing was done.', {
    hint: 'Try again in a minute.',
    isRetryable: true,
    cause,
  });
}

/** @param membership of a person who may not read */
export function membershipError(membership: Membership): AppError {
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
    hint: 'Ask a workspace admin or bot admin to allow it in the bot’s settings, or ask a member to share an answer in one of your channels.',
    isForAdmins: true,
  });
}

/** For a person who may read only in the chosen channels. */
export function channelError(rules: WorkspaceRules): AppError {
  const channelIds = rules.settings.readerChannels ?? [];
  const hint =
    channelIds.length === 0
      ? 'No channel is chosen yet. Ask a workspace admin or bot admin to choose one.'
      : 'To use it in another channel, ask a workspace admin or bot admin to allow it.';
  const sentence = 'Members can use this bot only in the channels that a bot admin chose for it.';
  return new AppError('forbidden', sentence, { hint, isForAdmins: true, channelIds });
}

function roleError(needs: Need, membership: Membership): AppError {
  const sentence =
    needs === 'admin' ? 'Only bot admins can do that.' : 'Only bot operators and bot admins can do that.';
  const isGuest = membership === 'guest' || membership === 'single_channel_guest';
  const hint = isGuest
    ? 'Ask one of them to do it for you: guests can only read.'
    : `Ask a workspace admin or bot admin to make you a bot ${needs === 'admin' ? 'admin' : 'operator'} in the bot’s settings.`;
  return new AppError('forbidden', sentence, { hint, isForAdmins: true });
}
