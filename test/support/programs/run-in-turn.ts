/** A program that runs others, each to its end, whenever its parent sends one: their modules are loaded once. */
import { writeSync } from 'node:fs';
import { env } from 'node:process';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

export type Turn = {
  /** Path of the program. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Written to both streams after the program's output. */
  readonly mark: string;
};

/** Thrown where a program would end its process. */
class Exit extends Error {}

const { exit } = process;
const inherited = { ...env };
const streams = [process.stdout, process.stderr];
const writes = streams.map(({ write }) => write);
let turns = 0;

process.on('message', async (turn: Turn) => {
  const code = await run(turn);
  for (const descriptor of [1, 2]) writeSync(descriptor, turn.mark);
  process.send?.(code);
});

/** @returns the exit code */
async function run({ entry, args, environment, folder }: Turn): Promise<number> {
  process.chdir(folder);
  process.argv.splice(1, Number.POSITIVE_INFINITY, entry, ...args);
  for (const name of Object.keys(env)) Reflect.deleteProperty(env, name);
  Object.assign(env, inherited, environment);
  process.exitCode = 0;
  let code: number | undefined;
  process.exit = (given) => {
    code ??= Number(given ?? process.exitCode);
    // Nobody sees what a program would print after its end.
    for (const stream of streams) stream.write = () => true;
    throw new Exit();
  };
  try {
    turns += 1;
    // Another address is another module: only the entry runs again.
    await import(`${pathToFileURL(entry).href}?turn=${turns}`);
  } catch (error) {
    if (!(error instanceof Exit)) process.stderr.write(`${inspect(error)}\n`);
    code ??= 1;
  }
  const ended = code ?? Number(process.exitCode);
  for (const [index, stream] of streams.entries()) Object.assign(stream, { write: writes[index] });
  Object.assign(process, { exit, exitCode: 0 });
  return ended;
}
