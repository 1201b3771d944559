/** `help`: generated from the commands' descriptions. */
import { z } from 'zod';
import { AppError } from '../../../../shared/errors.ts';
import { plainWord } from '../../../domain/window-words.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { findCommand, nearestCommands } from '../../framework/description.ts';
import { mayRepeat } from '../../framework/parse.ts';
import { isNameless } from '../../lookup/typed-words.ts';
import { helpMessage, helpOverviewMessage } from './view.ts';

export const help = defineCommand({
  name: 'help',
  group: 'setup',
  summary: 'all commands, or everything about one',
  usage: '[command]',
  examples: ['help', 'help status'],
  arguments: z.strictObject({ text: z.string().optional() }),
  run: async ({ text }, { actor, services: { access, commands, slashCommand, supportUrl } }) => {
    const words = (text ?? '').toLowerCase().split(' ').map(plainWord);
    // A subcommand is explained with its command.
    const command = words.map((each) => findCommand(commands, each)).find((each) => each !== undefined);
    if (command) return ephemeral(helpMessage({ command, slashCommand }));
    if (isNameless(words)) {
      const { defaultVisibility: visibility } = await access.settingsOf(actor.teamId);
      const adminIds = supportUrl === undefined ? await access.adminIds(actor.teamId) : [];
      return ephemeral(helpOverviewMessage({ commands, slashCommand, visibility, supportUrl, adminIds }));
    }
    const [word = ''] = words;
    const [nearest] = nearestCommands(word, commands);
    const all = { line: 'help', purpose: 'see every command' };
    const next = nearest ? { hint: `Did you mean “${slashCommand} help ${nearest.name}”?` } : { command: all };
    throw new AppError(
      'not_found',
      mayRepeat(word) ? `There is no command “${word}”.` : 'There is no command by this name.',
      next,
    );
  },
});
