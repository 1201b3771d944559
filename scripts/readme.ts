/** Generates the README's tables, .env.example and the environments in compose.yml from the descriptions of commands and settings. */
import { readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { forWhom, groupCommands } from '../src/bot/commands/framework/description.ts';
import * as commands from '../src/bot/commands/registry.ts';
import { isServiceSetting, settingNames, settings } from '../src/shared/settings.ts';

/** @returns the README with both tables replaced between their markers */
export async function readme(): Promise<string> {
  const text = await readFile('README.md', 'utf8');
  const commented = (marker: string) => [`<!-- ${marker}: generated -->`, `<!-- /${marker} -->`] as const;
  return between(between(text, commented('commands'), commandTable()), commented('settings'), settingsTable());
}

function between(text: string, [begin, end]: readonly [string, string], content: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The marker "${begin}" or its end is missing.`);
  return `${before}${begin}\n${content}\n${end}${after}`;
}

function commandTable(): string {
  const rows = groupCommands(Object.values(commands)).flatMap(({ title, commands: members }) => [
    `| **${title}** | | |`,
    ...members.map((command) => {
      const { name, usage, summary, examples } = command;
      const line = `${name} ${usage}`.trim().replaceAll('|', '\\|');
      return `| \`${line}\` | ${summary}${forWhom(command)} | \`${examples[0]}\` |`;
    }),
  ]);
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

/** Settings with a fixed value in compose.yml. */
const composed = /^(HOST|PORT|DATABASE_URL|ENCRYPTION_KEYS\w*|SERVICE_(PORT|DATABASE_URL|METRICS_HOST|METRICS_PORT))$/;
/** Variables that the bot reads beside its settings. */
const botsEnvironment = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'];

/** @returns compose.yml with the variables of each program: its own, and no other program's secrets */
export async function composition(): Promise<string> {
  const text = await readFile('compose.yml', 'utf8');
  const names = settingNames.filter((name) => !composed.test(name) && !name.startsWith('PLAYGROUND_'));
  const service = names.filter(isServiceSetting);
  const bot = [...names.filter((name) => !name.startsWith('SERVICE_')), ...botsEnvironment];
  const marked = (program: string) => [`# ${program}'s settings: generated`, `      # /${program}'s settings`] as const;
  const lines = (variables: readonly string[]) => variables.map((name) => `      ${name}: $\{${name}:-}`).join('\n');
  return between(between(text, marked('bot'), lines(bot)), marked('service'), lines(service));
}

function entries() {
  return Object.entries<z.ZodType>(settings).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    fallback: schema.safeParse(undefined).data as string | number | undefined,
  }));
}
