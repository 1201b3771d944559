/** Buttons and menus that carry a command line: pressing one is typing it, with the same rights. */
import type { Button, PlainTextOption, StaticSelect } from '@slack/types';
import { outsideLine } from '../format/outside.ts';
import { limits } from './limits.ts';

/**
 * What happens to the answer: `open` shows it as a new message, `replace` puts it where the pressed message is,
 * `refresh` does so with an answer asked anew, `share` posts it in the channel.
 */
export const commandModes = ['open', 'replace', 'refresh', 'share'] as const;
export type CommandMode = (typeof commandModes)[number];

const actionIdPrefix = 'cmd:';
type CommandButton = {
  readonly label: string;
  /** The command line without the slash command. */
  readonly line: string;
  readonly mode: CommandMode;
  readonly style?: Button['style'];
  /** Said by screen readers where the label alone is terse. */
  readonly accessibilityLabel?: string;
};

/** @throws Error when the line is longer than Slack carries: a cut command would be another command */
export function commandButton({ label, line, mode, style, accessibilityLabel }: CommandButton): Button {
  return {
    type: 'button',
    action_id: actionId(mode, line),
    text: { type: 'plain_text', text: outsideLine(label, limits.button.textUnitsMax), emoji: false },
    value: whole(line, limits.button.valueUnitsMax),
    ...(style && { style }),
    ...(accessibilityLabel && { accessibility_label: outsideLine(accessibilityLabel, limits.button.labelUnitsMax) }),
  };
}

type CommandOption = { readonly label: string; readonly line: string };

type CommandSelect = {
  readonly placeholder: string;
  readonly mode: CommandMode;
  /** From 1 to 100. */
  readonly options: readonly CommandOption[];
};

/** A menu whose chosen option is run. @throws Error when a line is longer than Slack carries */
export function commandSelect({ placeholder, mode, options }: CommandSelect): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId(mode, 'select'),
    placeholder: { type: 'plain_text', text: placeholder, emoji: false },
    options: options.map(
      ({ label, line }): PlainTextOption => ({
        text: { type: 'plain_text', text: outsideLine(label, limits.option.textUnitsMax), emoji: false },
        value: whole(line, limits.option.safeValueUnitsMax),
      }),
    ),
  };
}

/** @returns the mode of an action id made here; undefined for any other */
export function parseCommandActionId(id: string): CommandMode | undefined {
  if (!id.startsWith(actionIdPrefix)) return undefined;
  const name = id.slice(actionIdPrefix.length).split(':')[0];
  return commandModes.find((mode) => mode === name);
}

/** Every button's action id begins like this. */
export const commandActionPattern = new RegExp(`^${actionIdPrefix}`);

/** Unique within a block as long as no block repeats a line in one mode; Slack allows 255 characters. */
function actionId(mode: CommandMode, line: string): string {
  return `${actionIdPrefix}${mode}:${line}`.slice(0, limits.id.unitsMax);
}

function whole(line: string, max: number): string {
  if (line.length > max) throw new Error(`A command line of ${line.length} characters does not fit in ${max}.`);
  return line;
}
