/** View of `deployment`: action, result, error and artifacts. */
import type { RichTextElement } from '@slack/types';
import type { Provenance } from '../../../domain/provenance.ts';
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
} from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { runCountText } from '../../../views/format/number.ts';
import { missingLine, sourceLine } from '../../../views/format/provenance.ts';
import { deploymentActionLabel, deploymentStatusEmoji } from '../../../views/format/status-labels.ts';
import { matchedNameNote, type TakenFor } from '../../../views/notices/pick-workflow.ts';

export type DeploymentView = {
  readonly deployment: DeploymentDetailFieldsFragment & {
    /** Runs until the next deployment; null if the service does not say. */
    readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
  };
  /** Null if the deployment was found by its own id: the service does not name its workflow. */
  readonly workflow: { readonly uuid: string; readonly name: string; readonly takenFor: TakenFor | null } | null;
  readonly provenance: Provenance;
  readonly now: number;
};

const errorUnitsMax = 1500;

export function deploymentMessage(view: DeploymentView): Message {
  const { deployment, workflow, provenance, now } = view;
  const { uuid, status, deployedAt, errorMessage } = deployment;
  const of = workflow === null ? [] : rich` of ${bold(workflow.name)}`;
  const head = rich`${emoji(deploymentStatusEmoji(status))} Deployment${of}: ${bold(stateLabel(view), 40)}, ${date(Date.parse(deployedAt))}`;
  const note = workflow === null ? [] : matchedNameNote(workflow.name, workflow.takenFor);
  return message([
    paragraph(rich`${note}${head}`),
    ...(errorMessage === null ? [] : [paragraph(rich`${bold('Error')} ${errorEnds(errorMessage, errorUnitsMax)}`)]),
    bulleted(rich`${bold('Facts')}`, facts(view)),
    context([markup`Deployment ${uuid}`, sourceLine(provenance, now), ...missingLine(provenance)]),
    answerActions(`deployment ${uuid}`, workflow === null ? [] : workflowButtons(workflow.uuid)),
  ]);
}

/** Without its workflow it is not known if another deployment has replaced it. */
function stateLabel({ deployment: { status }, workflow }: DeploymentView): string {
  return status === 'ACTIVE' && workflow === null ? 'activated' : deploymentActionLabel(status);
}

function workflowButtons(uuid: string) {
  return [
    commandButton({ label: 'All deployments', line: `deployments ${uuid}`, mode: 'open' }),
    commandButton({ label: 'Workflow status', line: `status ${uuid}`, mode: 'open' }),
  ];
}

/** With its workflow it is the newest deployment. */
function facts({ deployment, workflow }: DeploymentView): readonly (readonly RichTextElement[])[] {
  const { status, txHash, binaryURL, configURL, executionCountByStatus: counts } = deployment;
  // A failed deployment runs nothing.
  const version = status === 'FAILED' ? ', with the earlier version' : '';
  const period = trusted(`${workflow === null ? 'Until the next deployment' : 'Since then'}${version}`);
  return [
    ...(counts === null ? [] : [rich`${period}: ${trusted(runCountText(counts))}`]),
    rich`Transaction: ${txHash === null ? trusted('none') : code(txHash)}`,
    rich`Binary: ${binaryURL === null ? trusted('none') : address(binaryURL)}`,
    rich`Configuration: ${configURL === null ? trusted('none') : address(configURL)}`,
  ];
}
