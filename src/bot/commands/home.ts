/** Gathers the facts of a person's Home, as far as their role allows. */

import { AppError } from '../../shared/errors.ts';
import type { Connections } from '../connection/connections.ts';
import type { Person } from '../domain/person.ts';
import { combinedProvenance } from '../domain/provenance.ts';
import { effectiveRole, isEnough, type Need } from '../domain/role.ts';
import type { WorkspaceRules } from '../domain/workspace-rules.ts';
import { judgedMax, lastToRun, queryHealth } from '../health/workflow-health.ts';
import { byUrgency } from '../insight/health/health.ts';
import { createAnswerDeadline } from '../query/client/deadline.ts';
import type { QueryClient } from '../query/query-client.ts';
import { nullOnFailure } from '../query/results.ts';
import type { HomeFacts, HomeHealth } from '../views/home/home.ts';
import { channelError, type Members, membershipError } from './access/access-control.ts';
import type { CommandQuota } from './access/person-limit.ts';
import type { Services } from './framework/command.ts';
import { chosenWorkflows } from './lookup/chosen-workflows.ts';

/** @param isFresh bypasses the cache, as often as the rate limiter allows. Missing data becomes a problem in the facts. Rejects only for internal errors */
export type HomeOf = (person: Person, isFresh?: boolean) => Promise<HomeFacts>;

/** @param freshTimeoutMs after this time a stale answer is better than a late one */
export function createHome(services: Services, freshTimeoutMs = 2_000): HomeOf {
  const { access, connections, slashCommand } = services;
  const { clock } = services.runtime;
  return async (person, isRefresh = false) => {
    const rules = await access.rulesOf(person.teamId).catch(problemOf);
    const empty = { admin: null, digests: null, adminIds: [], slashCommand, now: clock() };
    if ('kind' in rules) return { ...empty, health: rules };
    const role = await roleOf(services.members, person, rules);
    if (role instanceof AppError)
      return { ...empty, adminIds: await access.adminIds(person.teamId), health: { kind: 'refused', error: role } };
    const notRefreshed = isRefresh ? refusalOf(access.commandQuota, person) : undefined;
    const isFresh = isRefresh && notRefreshed === undefined;
    const deadline = createAnswerDeadline();
    const ask = () => connections.queryClientFor(person.teamId, { isFresh, freshTimeoutMs, deadline });
    // A Home belongs to no channel.
    const isReader = rules.settings.readerChannels === null || role !== 'reader';
    const [health, admin, digests] = await Promise.all([
      isReader ? healthOf(ask, clock()) : { kind: 'refused' as const, error: channelError(rules) },
      role === 'admin' ? adminFacts(connections, person) : null,
      isReader ? digestFacts(services, person, role) : null,
    ]);
    const adminIds = await access.adminIds(person.teamId);
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
    return problemOf(error).error.publicMessage;
  }
}

/** @returns an error for a person who may not read, or whose membership Slack does not confirm */
async function roleOf(
  { membershipOf }: Members,
  person: Person,
  { granted, settings }: WorkspaceRules,
): Promise<Need | AppError> {
  try {
    const membership = await membershipOf(person);
    return effectiveRole(membership, granted.get(person.userId), settings.guestReaders) ?? membershipError(membership);
  } catch (cause) {
    const sentence = 'Slack did not say who you are, so nothing is shown. Open this tab again in a minute.';
    return new AppError('unavailable', sentence, { cause });
  }
}

async function healthOf(createClient: () => QueryClient, now: number): Promise<HomeHealth> {
  try {
    const ask = createClient();
    const [listed, organization] = await Promise.all([
      ask.everyWorkflow(),
      nullOnFailure(ask.organization(), 'the organization'),
    ]);
    const at = Math.min(now, listed.provenance.asOf);
    const { data: judged, provenance } = await queryHealth(ask, lastToRun(listed.data), at, true);
    const missing = [...listed.provenance.missing, ...organization.provenance.missing];
    return {
      kind: 'known',
      judged: byUrgency(judged),
      notLookedInto: Math.max(0, listed.data.length - judgedMax),
      organizationName: organization.data?.displayName ?? null,
      // The name of the organization is cached for longer than the health.
      provenance: combinedProvenance({ ...listed.provenance, missing }, provenance),
    };
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): HomeHealth & { readonly kind: 'problem' } {
  if (!(error instanceof AppError)) throw error;
  return { kind: 'problem', error };
}

async function adminFacts({ connectionOf }: Connections, person: Person): Promise<HomeFacts['admin']> {
  const { stored, isListed } = await connectionOf(person).state();
  return { key: stored ? { ...stored, isListed } : null };
}

/** Null if the digests cannot be read; the Home shows the rest. */
async function digestFacts(
  { store, connections }: Services,
  { teamId }: Person,
  role: Need,
): Promise<HomeFacts['digests']> {
  try {
    const subscriptions = await store.subscriptions.list(teamId);
    const known = await chosenWorkflows(connections, teamId, subscriptions);
    return { subscriptions, known, mayChange: isEnough(role, 'operator') };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
