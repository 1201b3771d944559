/** Workflows as the choices of a menu, whether they stand in the message or are looked for while a person types. */
import { outsideLine } from './format/outside.ts';
import { type CommandOption, fitsMenu } from './kit/command-button.ts';
import { limits } from './kit/limits.ts';
import { deploymentStatusWord } from './words.ts';

type Choice = { readonly uuid: string; readonly name: string; readonly status: string };

/** Leaves room for the status. */
const nameUnitsMax = 50;

/** @returns as many as a menu holds; a uuid of another shape than ours may be too long for one */
export function workflowOptions(
  choices: readonly Choice[],
  lineFor: (uuid: string) => string,
): readonly CommandOption[] {
  return choices
    .map((choice) => ({ label: labelOf(choice), line: lineFor(choice.uuid) }))
    .filter(fitsMenu)
    .slice(0, limits.select.optionsMax);
}

function labelOf({ name, status }: Choice): string {
  return status === 'ACTIVE' ? name : `${outsideLine(name, nameUnitsMax)} (${deploymentStatusWord(status)})`;
}
