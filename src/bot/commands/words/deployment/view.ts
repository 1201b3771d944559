/** View of `deployment`: action, result, error and artifacts. */
import type { Provenance } from '../../../domain/provenance.ts';
import { tookEffect } from '../../../insight/health/deployment-states.ts';
import type { NamedHealth } from '../../../insight/health/health.ts';
import { isClearlyHigher } from '../../../insight/statistics.ts';
import type { DeploymentDetailFieldsFragment } from '../../../query/generated/operations.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { answerActions, commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  address,
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
import { count, counted, runCountText } from '../../../views/format/number.ts';
import { sourceLines, staleLine } from '../../../views/format/provenance.ts';
import { deploymentActionLabel, deploymentEmoji } from '../../../views/format/status-labels.ts';

export type DeploymentView = {
  readonly deployment: DeploymentDetailFieldsFragment & {
    /** Runs until the next deployment; null if the service does not say. */
    readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
  };
  /** Null if it is not known: the service does not name the workflow of a deployment. */
  readonly workflow: { readonly uuid: string; readonly name: string } | null;
  /** As `withStates` returns it; null if its workflow is not known. */
  readonly state: string | null;
  /** True if its runs are counted until now; null if its workflow is not known. */
  readonly isNewest: boolean | null;
  /** The one that took effect before it; null if the workflow is not known, or there is none. */
  readonly previous: DeploymentView['deployment'] | null;
  /** How its workflow is doing now; empty if it is not known. */
  readonly healths: readonly NamedHealth[];
  readonly provenance: Provenance;
  readonly now: number;
};

const errorUnitsMax = 1500;

export function deploymentMessage(view: DeploymentView): Message {
  const { deployment, workflow, provenance, now } = view;
  const { uuid, status, deployedAt, errorMessage } = deployment;
  const of = workflow === null ? [] : rich` of ${bold(workflow.name)}`;
  const [{ health } = { health: null }] = view.healths;
  const ofWorkflow = health && verdictEmoji(health.verdict);
  const label = view.state === null && status === 'ACTIVE' ? 'activated' : deploymentActionLabel(view.state ?? status);
  const mark = emoji(deploymentEmoji(view.state ?? status, deployment.executionCountByStatus, ofWorkflow));
  const head = rich`${mark} Deployment${of}: ${bold(label, 40)}, ${date(Date.parse(deployedAt))}`;
  return message([
    ...staleLine(provenance, now),
    paragraph(rich`${nowLines(view.healths, true, now)}${head}${sinceWords(view)}`),
    ...(errorMessage === null ? [] : [paragraph(rich`${bold('Error')}: “${errorEnds(errorMessage, errorUnitsMax)}”`)]),
    bulleted(rich`${bold('Facts')}`, facts(view)),
    context([markup`Deployment ${uuid}`, ...sourceLines(provenance, now)]),
    answerActions(`deployment ${uuid}`, workflow === null ? [] : workflowButtons(workflow.uuid)),
  ]);
}

/** Compares its runs with those of the deployment before it, by the test that compares two windows; empty if they are not clearly worse. */
function sinceWords({ deployment, previous, isNewest, healths }: DeploymentView): Words {
  const [after, before] = [deployment.executionCountByStatus, previous?.executionCountByStatus];
  if (!after || !previous || !before || !isNewest || !tookEffect(deployment)) return [];
  const [here, there] = [after, before].map(({ success, failure }) => ({ failed: failure, total: success + failure }));
  if (!here || !there || !isClearlyHigher(here, there, null)) return [];
  const failed = `${count(here.failed)} of ${counted(here.total, 'run')} since then failed`;
  const at = date(Date.parse(previous.deployedAt));
  const advice =
    healths[0]?.health.verdict === 'unstable'
      ? rich`\n${bold('What to try:')} investigate the last failure to see whether this deployment is the reason.`
      : [];
  return rich`. ${bold(failed)}; with the deployment before it (${at}), ${trusted(`${count(there.failed)} of ${count(there.total)} failed`)}.${advice}`;
}

function workflowButtons(uuid: string) {
  return [
    commandButton({ label: 'All deployments', line: `deployments ${uuid}`, mode: 'open' }),
    commandButton({ label: 'Workflow status', line: `status ${uuid}`, mode: 'open' }),
  ];
}

function facts({ deployment, isNewest, previous }: DeploymentView): readonly Words[] {
  const { status, txHash, binaryURL, configURL, executionCountByStatus: counts } = deployment;
  // A failed deployment runs nothing.
  const version = status === 'FAILED' && previous ? ', with the earlier version' : '';
  const until = isNewest === null ? 'Since then, until any later deployment' : 'Until the next deployment or attempt';
  const period = trusted(`${isNewest ? 'Since then' : until}${version}`);
  return [
    ...(counts === null ? [] : [rich`${period}: ${trusted(runCountText(counts))}`]),
    rich`Transaction: ${txHash === null ? trusted('not reported') : code(txHash)}`,
    rich`Binary: ${binaryURL === null ? trusted('not reported') : address(binaryURL)}`,
    rich`Configuration: ${configURL === null ? trusted('not reported') : address(configURL)}`,
  ];
}
