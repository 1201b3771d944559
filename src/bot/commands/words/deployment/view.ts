/** One deployment: what was done, whether it took, and where its artifacts are. */
import type { RichTextElement } from '@slack/types';
import type { Provenance } from '../../../domain/provenance.ts';
import type { DeploymentDetailFieldsFragment } from '../../../query/generated/operations.ts';
import { answerButtons } from '../../../views/blocks/answer-buttons.ts';
import { context } from '../../../views/blocks/blocks.ts';
import { commandButton } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  address,
  bold,
  bulleted,
  code,
  emoji,
  errorEnds,
  moment,
  ours,
  paragraph,
  rich,
} from '../../../views/blocks/rich-text.ts';
import { say } from '../../../views/format/mrkdwn.ts';
import { runCountWords } from '../../../views/format/run-counts.ts';
import { missingLine, sourceLine } from '../../../views/format/source.ts';
import { deploymentActionWord, deploymentStatusEmoji } from '../../../views/format/words.ts';
import { takenNote } from '../../../views/notices/taken-note.ts';

export type DeploymentView = {
  readonly deployment: DeploymentDetailFieldsFragment & {
    /** From it to the next one; null where the service does not tell. */
    readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
  };
  /** Null where the deployment was asked for by its own id: the service does not tell whose it is. */
  readonly workflow: { readonly uuid: string; readonly name: string; readonly takenFor: string | null } | null;
  readonly provenance: Provenance;
  readonly now: number;
};

const errorUnitsMax = 1500;

export function deploymentMessage(view: DeploymentView): Message {
  const { deployment, workflow, provenance, now } = view;
  const { uuid, status, deployedAt, errorMessage } = deployment;
  const of = workflow === null ? [] : rich` of ${bold(workflow.name)}`;
  const head = rich`${emoji(deploymentStatusEmoji(status))} Deployment${of}: ${bold(deploymentActionWord(status), 40)}, ${moment(Date.parse(deployedAt))}`;
  const note = workflow === null ? [] : takenNote(workflow.name, workflow.takenFor);
  return message([
    paragraph(rich`${head}${note}`),
    ...(errorMessage === null ? [] : [paragraph(rich`${bold('Error')} ${errorEnds(errorMessage, errorUnitsMax)}`)]),
    bulleted(rich`${bold('What is known')}`, facts(deployment)),
    context([say`Deployment ${uuid}`, sourceLine(provenance, now), ...missingLine(provenance)]),
    answerButtons(`deployment ${uuid}`, workflow === null ? [] : workflowButtons(workflow.uuid)),
  ]);
}

function workflowButtons(uuid: string) {
  return [
    commandButton({ label: 'All deployments', line: `deployments ${uuid}`, mode: 'open' }),
    commandButton({ label: 'Workflow status', line: `status ${uuid}`, mode: 'open' }),
  ];
}

function facts({
  txHash,
  binaryURL,
  configURL,
  executionCountByStatus: counts,
}: DeploymentView['deployment']): readonly (readonly RichTextElement[])[] {
  return [
    ...(counts === null ? [] : [rich`Since then, up to the next deployment: ${ours(runCountWords(counts))}`]),
    rich`Transaction: ${txHash === null ? ours('none') : code(txHash)}`,
    rich`Binary: ${binaryURL === null ? ours('none') : address(binaryURL)}`,
    rich`Configuration: ${configURL === null ? ours('none') : address(configURL)}`,
  ];
}
