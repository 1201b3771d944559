/** Workflows and time zones as options of a menu. */
import { limits } from '../../../shared/block-kit/limits.ts';
import { outsideLine } from '../format/outside-text.ts';
import { deploymentStatusLabel } from '../format/status-labels.ts';
import { type CommandOption, fitsMenu } from './command-button.ts';
import type { Choice } from './inputs.ts';

type Workflow = { readonly uuid: string; readonly name: string; readonly status: string };

/** Leaves room for the status. */
const nameUnitsMax = 50;

/** @returns as many as a menu holds; a uuid of another shape than ours may be too long for one */
export function workflowOptions(
  choices: readonly Workflow[],
  lineFor: (uuid: string) => string,
): readonly CommandOption[] {
  return choices
    .map((choice) => ({ label: labelOf(choice), line: lineFor(choice.uuid) }))
    .filter(fitsMenu)
    .slice(0, limits.select.optionsMax);
}

/** As the choices of an input. @returns as many as a menu holds; a uuid of another shape than ours may be too long for one */
export function workflowChoices(workflows: readonly Workflow[]): readonly Choice[] {
  return workflows
    .map((workflow) => ({ label: labelOf(workflow), value: workflow.uuid }))
    .filter(({ value }) => value.length <= limits.option.safeValueUnitsMax)
    .slice(0, limits.select.optionsMax);
}

function labelOf({ name, status }: Workflow): string {
  return status === 'ACTIVE' ? name : `${outsideLine(name, nameUnitsMax)} (${deploymentStatusLabel(status)})`;
}

/** @param offset such as `UTC+01:00` */
export function zoneChoice({ zone, offset }: { readonly zone: string; readonly offset: string }): Choice {
  return { label: `${zone.replaceAll('_', ' ')} (${offset})`, value: zone };
}
