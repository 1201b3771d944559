/** Help, generated from the commands' own descriptions. */
import { windowHint } from '../../core/window.ts';
import { say } from '../../views/format/mrkdwn.ts';
import { actions, context, section } from '../../views/kit/blocks.ts';
import { commandButton } from '../../views/kit/command-button.ts';
import { type Message, message } from '../../views/kit/message.ts';
import { bold, bulleted, code, ours, paragraph, rich } from '../../views/kit/rich-text.ts';

type Described = {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly examples: readonly [string, ...string[]];
};

type Overview = { readonly commands: readonly Described[]; readonly slashCommand: string };

export function helpOverviewMessage({ commands, slashCommand }: Overview): Message {
  const items = commands.map(
    ({ name, usage, summary }) => rich`${code(`${slashCommand} ${name} ${usage}`)} ${ours(summary)}`,
  );
  const buttons = commands
    .filter(({ name }) => name !== 'help')
    .map(({ examples: [line] }) => commandButton({ label: `${slashCommand} ${line}`, line, mode: 'open' }));
  return message([
    bulleted(rich`${bold('What your workflows are doing')}: type one of these, or press a button.`, items),
    ...(buttons.length > 0 ? [actions(buttons)] : []),
    context([
      say`A name may be a part of it, an id or a link.`,
      say`${windowHint}`,
      say`Answers are seen only by you until you share them.`,
    ]),
  ]);
}

type Detail = { readonly command: Described; readonly slashCommand: string };

export function helpMessage({ command, slashCommand }: Detail): Message {
  const { name, usage, summary, examples } = command;
  const buttons = examples.map((line) => commandButton({ label: `${slashCommand} ${line}`, line, mode: 'open' }));
  const windows = usage.includes('[window]') ? [section(say`${windowHint}`)] : [];
  const samples = examples.flatMap((line, index) => [...(index > 0 ? rich`, ` : []), code(`${slashCommand} ${line}`)]);
  return message([
    paragraph(rich`${code(`${slashCommand} ${name} ${usage}`)}\n${ours(summary)}`),
    ...windows,
    paragraph(rich`${bold('For example')} ${samples}`),
    actions(buttons),
  ]);
}
