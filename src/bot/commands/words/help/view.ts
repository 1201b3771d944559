/** View of `help`. */
import type { Button } from '@slack/types';
import type { Need } from '../../../domain/role.ts';
import { windowHint } from '../../../domain/window.ts';
import type { WorkspaceSettings } from '../../../domain/workspace-settings.ts';
import { actions, context, section } from '../../../views/blocks/blocks.ts';
import { commandButton, commandSearch } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import { bold, bulleted, code, paragraph, rich, trusted } from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import { forWhom, takesWorkflow, worksAlone } from '../../framework/description.ts';

type Described = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly examples: readonly [string, ...string[]];
  readonly needs?: Need;
};

type Overview = {
  readonly commands: readonly Described[];
  readonly slashCommand: string;
  readonly visibility: WorkspaceSettings['defaultVisibility'];
};

export function helpOverviewMessage({ commands, slashCommand, visibility }: Overview): Message {
  const items = commands.map(
    (command) =>
      rich`${code(`${slashCommand} ${command.name} ${command.usage}`)} ${trusted(command.summary + forWhom(command))}`,
  );
  const search = commandSearch({ placeholder: 'Status of…', mode: 'open', lineFor: (uuid) => `status ${uuid}` });
  const buttons = commands
    .filter((command) => !isBesideThePoint(command) && worksAlone(command))
    .map((command) => wordButton(command, slashCommand));
  return message([
    bulleted(
      rich`${bold('What your workflows are doing')}: type one of these, choose a workflow, or press a button.`,
      items,
    ),
    actions([...search, ...buttons]),
    context([
      markup`A name may be a part of it, an id or a link.`,
      markup`${windowHint}`,
      visibility === 'channel'
        ? markup`Answers are seen by everybody in the channel.`
        : markup`Answers are seen only by you until you share them.`,
    ]),
  ]);
}

/** Commands that get no button in the overview. */
function isBesideThePoint({ name, needs = 'reader' }: Described): boolean {
  return name === 'help' || name === 'cancel' || needs !== 'reader';
}

type Detail = { readonly command: Described; readonly slashCommand: string };

export function helpMessage({ command, slashCommand }: Detail): Message {
  const { name, usage, summary, examples } = command;
  const search = {
    placeholder: `${slashCommand} ${name} …`,
    mode: 'open',
    lineFor: (uuid: string) => `${name} ${uuid}`,
  } as const;
  const buttons = [
    ...(takesWorkflow(command) ? commandSearch(search) : []),
    ...(worksAlone(command) ? [wordButton(command, slashCommand)] : []),
  ];
  const windows = usage.includes('[window]') ? [section(markup`${windowHint}`)] : [];
  const samples = examples.flatMap((line, index) => [...(index > 0 ? rich`, ` : []), code(`${slashCommand} ${line}`)]);
  return message([
    paragraph(rich`${code(`${slashCommand} ${name} ${usage}`)}\n${trusted(summary + forWhom(command))}`),
    ...windows,
    paragraph(rich`${bold('For example')} ${samples}`),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ]);
}

/** The example workflows may not exist here; the word alone always works. */
function wordButton({ name }: Described, slashCommand: string): Button {
  return commandButton({ label: `${slashCommand} ${name}`, line: name, mode: 'open' });
}
