/** What a person's Home tells: asked as they ask, with their rights. */
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import { combinedProvenance } from '../core/provenance.ts';
import { effectiveRole, type Need } from '../core/role.ts';
import { lastDay, resolveWindow } from '../core/window.ts';
import type { WorkspaceRules } from '../core/workspace-rules.ts';
import { glanceAt } from '../insight/glance.ts';
import type { Asking, WorkflowPage } from '../query/asking.ts';
import { optionally } from '../query/optionally.ts';
import type { Credential, Credentials } from '../store/credentials.ts';
import type { HomeFacts, HomeHealth, HomeKey } from '../views/home.ts';
import type { Person } from './command.ts';
import type { ContextDeps } from './context.ts';
import type { Governance } from './governance.ts';
import type { RightsDeps } from './rights.ts';

export type HomeDeps = Pick<ContextDeps, 'askingFor' | 'slashCommand'> &
  Pick<Governance, 'rulesOf'> &
  Pick<RightsDeps, 'standingOf'> & {
    readonly credentials: Pick<Credentials, 'find'>;
    readonly clock: Clock;
  };

/** What cannot be told is told as a problem. Rejects for a fault of ours alone. */
export type HomeOf = (person: Person) => Promise<HomeFacts>;

/** An older answer now is worth more than a newer one on a page that somebody has left again. */
const patienceMs = 2_000;
/** Beyond that nobody counts. */
const failuresMax = 1_000;
/** Of more workflows the Home does not say whether they ran again: that is one page of the service. */
const listedMax = 100;

export function createHome(deps: HomeDeps): HomeOf {
  const { askingFor, slashCommand, clock } = deps;
  return async (person) => {
    const rules = await deps.rulesOf(person.teamId).catch(problemOf);
    if ('kind' in rules) return { health: rules, admin: null, adminIds: [], slashCommand, now: clock() };
    const role = await roleOf(deps, person, rules);
    const ask = () => askingFor(person.teamId, { isFresh: false, onWait: () => undefined, patienceMs });
    const [health, admin] = await Promise.all([
      mayRead(rules, role) ? healthOf(ask, clock()) : elsewhere(rules),
      role === 'admin' ? adminFacts(deps, person) : null,
    ]);
    const adminIds = [...rules.granted].flatMap(([userId, granted]) => (granted === 'admin' ? [userId] : []));
    return { health, admin, adminIds, slashCommand, now: clock() };
  };
}

/** Whoever cannot be asked for is a reader here: a Home shows, and does nothing. */
async function roleOf({ standingOf }: HomeDeps, person: Person, { granted }: WorkspaceRules): Promise<Need> {
  try {
    const standing = await standingOf(person, () => undefined);
    return effectiveRole(standing, granted.get(person.userId)) ?? 'reader';
  } catch {
    return 'reader';
  }
}

/** A Home is in no channel. */
function mayRead({ settings }: WorkspaceRules, role: Need): boolean {
  return settings.readerChannels === null || role !== 'reader';
}

function elsewhere({ settings }: WorkspaceRules): HomeHealth {
  return { kind: 'elsewhere', channelIds: settings.readerChannels ?? [] };
}

async function healthOf(asking: () => Asking, now: number): Promise<HomeHealth> {
  try {
    const ask = asking();
    const [workflows, listed, failures, organization] = await Promise.all([
      ask.allWorkflows(),
      optionally(ask.workflows({ page: 0, size: listedMax }), 'when workflows ran last'),
      ask.failures({ window: resolveWindow(lastDay, now, 'UTC'), max: failuresMax }),
      optionally(ask.organization(), 'the organization'),
    ]);
    return {
      kind: 'known',
      glance: glanceAt({
        workflows: workflows.data,
        failures: failures.data.executions,
        executedAt: executedAt(listed.data),
        now,
      }),
      isCut: failures.data.isCut,
      organizationName: organization.data?.displayName ?? null,
      provenance: combinedProvenance(
        workflows.provenance,
        ...[listed.provenance, failures.provenance, organization.provenance],
      ),
    };
  } catch (error) {
    return problemOf(error);
  }
}

/** Of those of which it is known. */
function executedAt(listed: WorkflowPage | null): ReadonlyMap<string, number> {
  const known = listed?.workflows.flatMap(({ uuid, executedAt: at }) =>
    at === null ? [] : [[uuid, Date.parse(at)] as const],
  );
  return new Map(known);
}

function problemOf(error: unknown): HomeHealth & { readonly kind: 'problem' } {
  if (!(error instanceof AppError)) throw error;
  const { publicMessage: sentence, hint = null } = error;
  return { kind: 'problem', sentence, hint, lacksKey: error.code === 'unauthorized' };
}

async function adminFacts({ credentials }: HomeDeps, { teamId }: Person): Promise<HomeFacts['admin']> {
  const stored = await credentials.find(teamId);
  return { key: stored?.hasKey ? keyOf(stored) : null };
}

function keyOf({ keyHint: hint, connectedBy, connectedAt, checkedAt, refusedSince }: Credential): HomeKey {
  return { hint, connectedBy, connectedAt, checkedAt, refusedSince };
}
