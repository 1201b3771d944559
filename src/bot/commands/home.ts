/** Gathers the facts of a person's Home, as far as their role allows. */

import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Person } from '../domain/person.ts';
import { combinedProvenance } from '../domain/provenance.ts';
import { effectiveRole, isEnough, type Need } from '../domain/role.ts';
import type { WorkspaceRules } from '../domain/workspace-rules.ts';
import { judgedMax, lastToRun, queryHealth } from '../health/workflow-health.ts';
import { byUrgency } from '../insight/health/health-summary.ts';
import { createAnswerDeadline } from '../query/client/deadline.ts';
import { nullOnFailure } from '../query/null-on-failure.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import type { HomeFacts, HomeHealth, HomeKey } from '../views/home/home.ts';
import { type AccessControl, type AuthoriseDeps, type CommandQuota, membershipError } from './access/access-control.ts';
import type { ContextDeps } from './framework/dispatch.ts';

export type HomeDeps = Pick<ContextDeps, 'queryClientFor' | 'connectionOf' | 'digests' | 'slashCommand'> &
  Pick<AccessControl, 'rulesOf'> &
  Pick<AuthoriseDeps, 'membershipOf'> & {
    readonly clock: Clock;
    readonly commandQuota: CommandQuota;
  };

/** @param isFresh bypasses the cache, as often as the rate limiter allows. Missing data becomes a problem in the facts. Rejects only for internal errors */
export type HomeOf = (person: Person, isFresh?: boolean) => Promise<HomeFacts>;

/** After this time a stale answer is better than a late one. */
const freshTimeoutMs = 2_000;

export function createHome(deps: HomeDeps): HomeOf {
  const { queryClientFor, slashCommand, clock } = deps;
  return async (person, isRefresh = false) => {
    const rules = await deps.rulesOf(person.teamId).catch(problemOf);
    const empty = { admin: null, digests: null, adminIds: [], slashCommand, now: clock() };
    if ('kind' in rules) return { ...empty, health: rules };
    const role = await roleOf(deps, person, rules);
    if (role instanceof AppError) return { ...empty, health: { kind: 'shut_out', sentence: role.publicMessage } };
    const notRefreshed = isRefresh ? refusalOf(deps.commandQuota, person) : undefined;
    const isFresh = isRefresh && notRefreshed === undefined;
    const deadline = createAnswerDeadline();
    const ask = () => queryClientFor(person.teamId, { isFresh, freshTimeoutMs, deadline });
    const isReader = mayRead(rules, role);
    const [health, admin, digests] = await Promise.all([
      isReader ? healthOf(ask, clock()) : elsewhere(rules),
      role === 'admin' ? adminFacts(deps, person) : null,
      isReader ? digestFacts(deps, person, role) : null,
    ]);
    const adminIds = [...rules.granted].flatMap(([userId, granted]) => (granted === 'admin' ? [userId] : []));
    const facts = { health, admin, digests, adminIds, slashCommand, now: clock() };
    return notRefreshed === undefined ? facts : { ...facts, notRefreshed };
  };
}

/** @returns the sentence for a person who refreshes too often */
function refusalOf(commandQuota: CommandQuota, person: Person): string | undefined {
  try {
    commandQuota.acquire(person);
    return undefined;
  } catch (error) {
    return problemOf(error).sentence;
  }
}

/** @returns an error for a person who may not read, or whose membership Slack does not confirm */
async function roleOf(
  { membershipOf }: HomeDeps,
  person: Person,
  { granted, settings }: WorkspaceRules,
): Promise<Need | AppError> {
  try {
    const membership = await membershipOf(person);
    return effectiveRole(membership, granted.get(person.userId), settings.guestReaders) ?? membershipError(membership);
  } catch (cause) {
    const sentence = 'Slack did not return your identity, so nothing is shown. Open this tab again in a minute.';
    return new AppError('unavailable', sentence, { cause });
  }
}

/** A Home belongs to no channel. */
function mayRead({ settings }: WorkspaceRules, role: Need): boolean {
  return settings.readerChannels === null || role !== 'reader';
}

function elsewhere({ settings }: WorkspaceRules): HomeHealth {
  return { kind: 'elsewhere', channelIds: settings.readerChannels ?? [] };
}

async function healthOf(createClient: () => QueryClient, now: number): Promise<HomeHealth> {
  try {
    const ask = createClient();
    const [listed, organization] = await Promise.all([
      ask.everyWorkflow(),
      nullOnFailure(ask.organization(), 'the organization'),
    ]);
    const { data: judged, provenance } = await queryHealth(ask, lastToRun(listed.data), {
      now: Math.min(now, listed.provenance.asOf),
      hasDeployments: false,
    });
    return {
      kind: 'known',
      judged: byUrgency(judged),
      notLookedInto: Math.max(0, listed.data.length - judgedMax),
      organizationName: organization.data?.displayName ?? null,
      provenance: combinedProvenance(listed.provenance, organization.provenance, provenance),
    };
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): HomeHealth & { readonly kind: 'problem' } {
  if (!(error instanceof AppError)) throw error;
  const { publicMessage: sentence, hint = null } = error;
  return { kind: 'problem', sentence, hint, lacksKey: error.code === 'unauthorized' };
}

async function adminFacts({ connectionOf }: HomeDeps, person: Person): Promise<HomeFacts['admin']> {
  const { stored, isListed } = await connectionOf(person).state();
  return { key: stored?.hasKey ? keyOf(stored, isListed) : null };
}

function keyOf(stored: Credential, isListed: boolean): HomeKey {
  const { keyHint: hint, connectedBy, connectedAt, checkedAt, refusedSince } = stored;
  return { hint, connectedBy, connectedAt, checkedAt, refusedSince, isListed };
}

/** Null if the digests cannot be read; the Home shows the rest. */
async function digestFacts({ digests }: HomeDeps, person: Person, role: Need): Promise<HomeFacts['digests']> {
  try {
    const { subscriptions, chosen } = digests;
    const all = await subscriptions.list(person.teamId);
    return { subscriptions: all, known: await chosen(person.teamId, all), mayChange: isEnough(role, 'operator') };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
