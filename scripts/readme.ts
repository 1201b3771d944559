/** The README's tables and .env.example, from the commands' and the settings' own descriptions. */
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import * as commands from '../src/commands/registry.ts';
import { forWhom } from '../src/commands/usage.ts';
import { settings } from '../src/settings.ts';

/** @returns the README with both tables replaced between their markers */
export async function readme(): Promise<string> {
  const text = await readFile('README.md', 'utf8');
  return between(between(text, 'commands', commandTable()), 'settings', settingsTable());
}

function between(text: string, marker: string, content: string): string {
  const [begin, end] = [`<!-- ${marker}: generated -->`, `<!-- /${marker} -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md lacks the markers of "${marker}".`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

function commandTable(): string {
  const rows = Object.values(commands).map((command) => {
    const { name, usage, summary, examples } = command;
    const line = `${name} ${usage}`.trim().replaceAll('|', '\\|');
    return `| \`${line}\` | ${summary}${forWhom(command)} | \`${examples[0]}\` |`;
  });
  return ['| Command | Answer | Example |', '|---|---|---|', ...rows].join('\n');
}

function settingsTable(): string {
  const rows = entries().map(
    ({ name, fallback, description }) =>
      `| \`${name}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description} |`,
  );
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** @returns the text of .env.example: every setting commented out, with its default */
export async function environmentExample(): Promise<string> {
  const paragraphs = entries().map(
    ({ name, fallback, description }) => `# ${description}\n# ${name}=${fallback ?? ''}`,
  );
  return `# Settings of workflow-bot, from the environment or from a file .env beside this one, which the environment overrides.\n\n${paragraphs.join('\n\n')}\n`;
}

function entries() {
  return Object.entries<z.ZodType>(settings).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    fallback: schema.safeParse(undefined).data as string | number | undefined,
  }));
}
