/** Gathers the name and state of what a pasted link shows, as far as the person and the channel may read. */
import { AppError } from '../../shared/errors.ts';
import { withoutMasking } from '../../shared/redaction/masking.ts';
import type { Actor } from '../domain/person.ts';
import type { WebLinks, WebTarget } from '../domain/web-links.ts';
import { queryHealth } from '../health/workflow-health.ts';
import type { QueryClient } from '../query/query-client.ts';
import { executionPreview, type LinkPreview, workflowPreview } from '../views/notices/link-preview.ts';
import type { Services } from './framework/command.ts';

export type LinkPreviews = {
  readonly links: WebLinks;
  /**
   * @param actor who pasted the link, and where
   * @returns undefined if the person or the channel may not read, or the service does not know or answer
   */
  readonly of: (actor: Actor, target: WebTarget) => Promise<LinkPreview | undefined>;
  /** As `of`, for a person whose right was checked already. */
  readonly describe: (teamId: string, target: WebTarget) => Promise<LinkPreview | undefined>;
};

/** Slack shows a message without its preview until then. */
const freshTimeoutMs = 8_000;

export function createLinkPreviews(services: Services): LinkPreviews {
  const { access, connections, webLinks } = services;
  const { clock, log } = services.runtime;
  const describe = async (teamId: string, target: WebTarget) => {
    const { isRedacting } = await access.settingsOf(teamId);
    const ask = connections.queryClientFor(teamId, { isFresh: false, freshTimeoutMs });
    const read = () => readPreview(ask, target, clock());
    return isRedacting ? read() : withoutMasking(read);
  };
  const orNone = async (teamId: string, preview: Promise<LinkPreview | undefined>) => {
    try {
      return await preview;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log.info({ teamId, code: error.code }, 'a pasted link has no preview');
      return undefined;
    }
  };
  const ofPasted = async (actor: Actor, target: WebTarget) => {
    access.commandQuota.acquire(actor);
    return (await access.mayPreview(actor)) ? describe(actor.teamId, target) : undefined;
  };
  return {
    links: webLinks,
    of: (actor, target) => orNone(actor.teamId, ofPasted(actor, target)),
    describe: (teamId, target) => orNone(teamId, describe(teamId, target)),
  };
}

async function readPreview(ask: QueryClient, { kind, uuid }: WebTarget, now: number): Promise<LinkPreview | undefined> {
  if (kind === 'execution') {
    const { data } = await ask.execution(uuid);
    return data === null ? undefined : executionPreview(uuid, data.execution.workflowName, data.execution);
  }
  const { data: workflows, provenance } = await ask.everyWorkflow();
  const workflow = workflows.find((each) => each.uuid === uuid);
  if (!workflow) return undefined;
  const { data: judged } = await queryHealth(ask, [workflow], Math.min(now, provenance.asOf));
  const [row] = judged;
  return row && workflowPreview(uuid, workflow.name, row.health.verdict, workflow.status);
}
