/** View of `help`. */
import type { Button, KnownBlock } from '@slack/types';
import { windowHint } from '../../../domain/window.ts';
import type { WorkspaceSettings } from '../../../domain/workspace-settings.ts';
import { actions, context, section } from '../../../views/blocks/blocks.ts';
import { commandButton, commandSearch } from '../../../views/blocks/command-button.ts';
import { type Message, message } from '../../../views/blocks/message.ts';
import {
  address,
  anAdmin,
  bold,
  bulleted,
  code,
  paragraph,
  rich,
  several,
  trusted,
} from '../../../views/blocks/rich-text.ts';
import { markup } from '../../../views/format/mrkdwn.ts';
import type { CommandDescription } from '../../framework/command.ts';
import { aliasesOf, forWhom, groupCommands, takesWorkflow, worksAlone } from '../../framework/description.ts';

type Overview = {
  readonly commands: readonly CommandDescription[];
  readonly slashCommand: string;
  readonly visibility: WorkspaceSettings['defaultVisibility'];
  /** The operator's support page. */
  readonly supportUrl: string | undefined;
  /** The admins of the bot, who help if there is no such page. */
  readonly adminIds: readonly string[];
};

export function helpOverviewMessage({ commands, slashCommand, visibility, supportUrl, adminIds }: Overview): Message {
  const groups = groupCommands(commands).map(({ title, commands: members }) =>
    bulleted(
      [bold(title)],
      members.map(
        ({ name, usage, summary, ...whom }) =>
          rich`${code(`${slashCommand} ${name} ${usage.replaceAll(options, '')}`.trim())} ${trusted(summary + forWhom(whom))}`,
      ),
    ),
  );
  const search = commandSearch({ placeholder: 'Status of…', mode: 'open', lineFor: (uuid) => `status ${uuid}` });
  const buttons = commands
    .filter(({ name, needs = 'reader' }) => name !== 'help' && name !== 'cancel' && needs === 'reader')
    .filter(worksAlone)
    .map((command) => wordButton(command, slashCommand));
  const where = supportUrl === undefined ? rich`ask ${anAdmin(adminIds)}.` : [address(supportUrl)];
  return message([
    paragraph(rich`${code(`${slashCommand} <name>`)} shows the status of a workflow. All commands:`),
    ...groups,
    actions([...search, ...buttons]),
    context([
      markup`A part of a name, an id or a link will do. ${slashCommand} help ${'<command>'} explains a command and its options.`,
      markup`${windowHint}`,
      visibility === 'channel'
        ? markup`Everyone in the channel sees the answers.`
        : markup`Only you see an answer, until you share it.`,
      markup`${slashCommand} execution and Investigate post a thread here, visible to everyone. With --private, or with Investigate privately, the thread is in your direct messages.`,
    ]),
    paragraph(rich`${bold('Questions or feedback')}: ${where}`),
  ]);
}

/** The overview of a phone leaves out what the help of one command explains. */
const options = / ?\[--[^[\]]*\]/g;

/** Further ones repeat the subcommands. */
const examplesMax = 3;

type Detail = { readonly command: CommandDescription; readonly slashCommand: string };

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
  const samples = examples.slice(0, examplesMax).map((line) => code(`${slashCommand} ${line}`));
  return message([
    paragraph(rich`${code(`${slashCommand} ${name} ${usage}`)}: ${trusted(summary + forWhom(command))}`),
    ...subcommandBlocks(command, slashCommand),
    ...windows,
    paragraph(rich`${bold('For example')} ${several(samples, examplesMax)}`),
    ...aliasesOf(name).map((word) => paragraph(rich`${code(`${slashCommand} ${word}`)} does the same.`)),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
  ]);
}

function subcommandBlocks({ subcommands = [] }: CommandDescription, slashCommand: string): readonly KnownBlock[] {
  if (subcommands.length === 0) return [];
  const items = subcommands.map(({ usage, summary }) => rich`${code(`${slashCommand} ${usage}`)} ${trusted(summary)}`);
  return [bulleted([bold('Subcommands')], items)];
}

/** The example workflows may not exist here; the word alone always works. */
function wordButton({ name }: CommandDescription, slashCommand: string): Button {
  return commandButton({ label: `${slashCommand} ${name}`, line: name, mode: 'open' });
}
