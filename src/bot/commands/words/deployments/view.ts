/** View of `deployments`: each deployment with its result and the runs until the next one. */
import type { KnownBlock, StaticSelect } from '@slack/types';
import type { Provenance } from '../../../domain/provenance.ts';
import { type WithState, withStates } from '../../../insight/health/deployment-states.ts';
import type { NamedHealth } from '../../../insight/health/health.ts';
import type { DeploymentDetailFieldsFragment } from '../../../query/generated/operations.ts';
import { actions, context } from '../../../views/blocks/blocks.ts';
import {
  answerActions,
  commandButton,
  commandSelect,
  fitsMenu,
  pageActions,
} from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  bold,
  bulleted,
  code,
  date,
  emoji,
  errorEnds,
  paragraph,
  rich,
  trusted,
  type Words,
} from '../../../views/blocks/rich-text.ts';
import { nowLines, verdictEmoji } from '../../../views/format/health.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { count, runCountText } from '../../../views/format/number.ts';
import { sourceLines, staleLine } from '../../../views/format/provenance.ts';
import { deploymentActionLabel, deploymentEmoji } from '../../../views/format/status-labels.ts';
import { zonedTime } from '../../../views/format/time.ts';

type Row = DeploymentDetailFieldsFragment & {
  /** Runs until the next deployment; null if the service does not say. */
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};

export type DeploymentList = {
  /** Newest first. */
  readonly deployments: readonly Row[];
  readonly hasMore: boolean;
  readonly workflow: { readonly uuid: string; readonly name: string };
  /** How its workflow is doing now; empty if it is not known. */
  readonly healths: readonly NamedHealth[];
  /** From 1. */
  readonly page: number;
  /** Those of the first page, if this is a later one. */
  readonly newer: readonly Row[];
  /** The reader's time zone, for the menu; Slack shows the times of the list in it. */
  readonly zone: string;
  readonly provenance: Provenance;
  readonly now: number;
};

const errorUnitsMax = 200;
/** As `deployment` takes it. */
const shortIdUnits = 8;

export function deploymentListMessage(list: DeploymentList): Message {
  const { deployments, workflow, page, provenance, now } = list;
  const isEmpty = deployments.length === 0;
  const lineFor = (to: number) => `deployments ${workflow.uuid}${to > 1 ? ` --page ${to}` : ''}`;
  return message([
    ...staleLine(provenance, now),
    ...(isEmpty ? [paragraph(emptyWords(list))] : history(list)),
    context([
      ...(isEmpty ? [] : [markup`Runs are counted up to the next deployment or attempt.`]),
      ...sourceLines(provenance, now),
    ]),
    answerActions(lineFor(page), [
      ...pageActions({ ...list, isEmpty, lineFor }),
      commandButton({ label: 'Workflow status', line: `status ${workflow.uuid}`, mode: 'open' }),
    ]),
  ]);
}

function emptyWords({ page, workflow, provenance }: DeploymentList): Words {
  // Unreadable rows exist, so the list is not empty.
  if (provenance.missing.length > 0) return rich`${bold(workflow.name)}: the deployments could not be read.`;
  if (page > 1) return rich`There is no page ${trusted(count(page))}.`;
  return rich`The query service has no deployment of ${bold(workflow.name)}: none was made, or none is kept.`;
}

function history(list: DeploymentList): readonly KnownBlock[] {
  const { workflow, page, zone } = list;
  const deployments = withStates(list.deployments, list.newer);
  const heading = rich`Deployments of ${bold(workflow.name)}, newest first${page > 1 ? rich`, page ${page}` : []}`;
  const menu = openMenu(deployments, zone);
  const [{ health } = { health: null }] = list.healths;
  const mark = health && verdictEmoji(health.verdict);
  return [
    bulleted(
      rich`${nowLines(list.healths, true, list.now)}${heading}`,
      deployments.map((deployment) => deploymentLine(deployment, mark)),
    ),
    ...(menu.length === 0 ? [] : [actions([...menu])]),
  ];
}

function deploymentLine({ deployment, state: status }: WithState<Row>, workflowEmoji: string | null): Words {
  const { uuid, deployedAt, errorMessage, executionCountByStatus: counts } = deployment;
  const { verb, state } = stateWords(status);
  const version = status === 'FAILED' ? 'with the earlier version: ' : '';
  const runs = counts === null ? [] : rich` · ${trusted(version + runCountText(counts))}`;
  const error = errorMessage === null ? [] : rich`\n“${errorEnds(errorMessage, errorUnitsMax)}”`;
  const when = rich`${trusted(verb)} ${date(Date.parse(deployedAt))}`;
  const mark = emoji(deploymentEmoji(status, counts, workflowEmoji));
  return rich`${mark} ${when}${state === null ? [] : rich`, ${bold(state, 40)}`}${runs} · ${code(uuid.slice(0, shortIdUnits), 40)}${error}`;
}

/** The words around the time of a deployment: it is the time at which it came, not at which it was replaced. A pause and a deletion have their own time. */
function stateWords(status: string): { readonly verb: string; readonly state: string | null } {
  switch (status) {
    case 'ACTIVE':
      return { verb: 'deployed', state: 'now active' };
    case 'REPLACED':
    case 'STOPPED':
      return { verb: 'deployed', state: `since ${deploymentActionLabel(status)}` };
    case 'FAILED':
      return { verb: 'attempted', state: 'failed' };
    case 'PAUSED':
    case 'DELETED':
      return { verb: deploymentActionLabel(status), state: null };
    default:
      return { verb: 'deployment of', state: deploymentActionLabel(status) };
  }
}

/** A uuid of an unexpected shape may be too long for a menu. */
function openMenu(deployments: readonly WithState<Row>[], zone: string): readonly StaticSelect[] {
  const options = deployments
    .map(({ deployment: { uuid, deployedAt }, state: status }) => {
      const { verb, state } = stateWords(status);
      const label = `${verb} ${zonedTime(Date.parse(deployedAt), zone)}${state === null ? '' : `, ${state}`}`;
      return { label, line: `deployment ${uuid}` };
    })
    .filter(fitsMenu);
  return options.length === 0 ? [] : [commandSelect({ placeholder: 'Show one of them…', mode: 'open', options })];
}
