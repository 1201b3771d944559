/** Gathers the facts of a person's Home, as far as their role allows. */

import { AppError } from '../../shared/errors.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { querySilences } from '../digests/silences.ts';
import type { Person } from '../domain/person.ts';
import { combinedProvenance } from '../domain/provenance.ts';
import { effectiveRole, isEnough, type Need } from '../domain/role.ts';
import { lastDay, resolveWindow } from '../domain/window.ts';
import type { WorkspaceRules } from '../domain/workspace-rules.ts';
import { summarizeHealth, withNeverRan, withSilences } from '../insight/health/health-summary.ts';
import { maybeSilent } from '../insight/health/maybe-silent.ts';
import { type NeverRan, neverRan } from '../insight/health/never-ran.ts';
import { nullOnFailure } from '../query/null-on-failure.ts';
import type { QueryClient } from '../query/query-client.ts';
import type { Answered, Workflow, WorkflowPage } from '../query/results.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import type { HomeFacts, HomeHealth, HomeKey } from '../views/home/home.ts';
import { type AccessControl, type AuthoriseDeps, membershipError } from './access/access-control.ts';
import type { ContextDeps } from './framework/dispatch.ts';

export type HomeDeps = Pick<ContextDeps, 'queryClientFor' | 'connectionOf' | 'digests' | 'slashCommand'> &
  Pick<AccessControl, 'rulesOf'> &
  Pick<AuthoriseDeps, 'membershipOf'> & {
    readonly clock: Clock;
  };

/** Missing data becomes a problem in the facts. Rejects only for internal errors. */
export type HomeOf = (person: Person) => Promise<HomeFacts>;

/** After this time a stale answer is better than a late one. */
const freshTimeoutMs = 2_000;
/** Upper bound of the failures counted. */
const failuresMax = 1_000;
/** One page of the service. For further workflows the Home does not say whether they ran again. */
const listedMax = 100;

export function createHome(deps: HomeDeps): HomeOf {
  const { queryClientFor, slashCommand, clock } = deps;
  return async (person) => {
    const rules = await deps.rulesOf(person.teamId).catch(problemOf);
    const empty = { admin: null, digests: null, adminIds: [], slashCommand, now: clock() };
    if ('kind' in rules) return { ...empty, health: rules };
    const role = await roleOf(deps, person, rules);
    if (role instanceof AppError) return { ...empty, health: { kind: 'shut_out', sentence: role.publicMessage } };
    const ask = () => queryClientFor(person.teamId, { isFresh: false, onWait: () => undefined, freshTimeoutMs });
    const isReader = mayRead(rules, role);
    const [health, admin, digests] = await Promise.all([
      isReader ? healthOf(ask, clock()) : elsewhere(rules),
      role === 'admin' ? adminFacts(deps, person) : null,
      isReader ? digestFacts(deps, person, role) : null,
    ]);
    const adminIds = [...rules.granted].flatMap(([userId, granted]) => (granted === 'admin' ? [userId] : []));
    return { health, admin, digests, adminIds, slashCommand, now: clock() };
  };
}

/** @returns an error for a person who may not read, or whose membership Slack does not confirm */
async function roleOf(
  { membershipOf }: HomeDeps,
  person: Person,
  { granted, settings }: WorkspaceRules,
): Promise<Need | AppError> {
  try {
    const membership = await membershipOf(person, () => undefined);
    return effectiveRole(membership, granted.get(person.userId), settings.guestReaders) ?? membershipError(membership);
  } catch (cause) {
    const sentence = 'Slack did not say who you are, so I show you nothing. Please open this again in a minute.';
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
    const [workflows, listed, failures, organization] = await Promise.all([
      ask.allWorkflows(),
      nullOnFailure(ask.workflows({ page: 0, size: listedMax }), 'when workflows ran last'),
      ask.failures({ window: resolveWindow(lastDay, now, 'UTC'), max: failuresMax }),
      nullOnFailure(ask.organization(), 'the organization'),
    ]);
    const glance = summarizeHealth({
      workflows: workflows.data,
      failures: failures.data.executions,
      executedAt: executedAt(listed.data),
      now,
    });
    const fine = new Set(glance.fine.map(({ uuid }) => uuid));
    const listedFine = listed.data?.workflows.filter(({ uuid }) => fine.has(uuid)) ?? [];
    const candidates = maybeSilent(listedFine, now);
    const [silences, idle] = await Promise.all([
      querySilences(ask, candidates.slice(0, lookedIntoMax), { now, isPast: false }),
      neverRanOf(ask, listedFine, now),
    ]);
    return {
      kind: 'known',
      summary: withNeverRan(withSilences(glance, silences.data), idle.data),
      notLookedInto: Math.max(0, candidates.length - lookedIntoMax) + fine.size - listedFine.length,
      isCut: failures.data.isCut,
      organizationName: organization.data?.displayName ?? null,
      provenance: combinedProvenance(
        workflows.provenance,
        ...[listed, failures, organization, silences, idle].map(({ provenance }) => provenance),
      ),
    };
  } catch (error) {
    return problemOf(error);
  }
}

/** By uuid, for the workflows whose last run is known. */
function executedAt(listed: WorkflowPage | null): ReadonlyMap<string, number> {
  const known = listed?.workflows.flatMap(({ uuid, executedAt: at }) =>
    at === null ? [] : [[uuid, Date.parse(at)] as const],
  );
  return new Map(known);
}

/** Fits three round trips. */
const lookedIntoMax = 45;

/** By uuid: active workflows that never ran, with the deployments that say since when they are active. */
async function neverRanOf(
  ask: QueryClient,
  fine: readonly Workflow[],
  now: number,
): Promise<Answered<ReadonlyMap<string, NeverRan>>> {
  const idle = fine.filter((workflow) => neverRan(workflow, null, now) !== null);
  const checked = idle.slice(0, lookedIntoMax);
  if (checked.length === 0) return { data: new Map(), provenance: { source: 'live', asOf: now, missing: [] } };
  const asked = ask.deploymentsOf(checked.map(({ uuid }) => uuid));
  const { data, provenance } = await nullOnFailure(asked, 'since when some workflows are active');
  const found = checked.flatMap((workflow) => {
    const overdue = neverRan(workflow, data?.get(workflow.uuid) ?? null, now);
    return overdue ? [[workflow.uuid, overdue] as const] : [];
  });
  return { data: new Map(found), provenance };
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
