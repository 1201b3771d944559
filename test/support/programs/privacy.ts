/** Guarantees of every program to its user: nobody else can read its files, and no signal opens a debugger. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Program } from './program.ts';

/** For the programs that a test starts: files can be read by everybody, unless the program says otherwise. */
export function useOpenUmask(): void {
  const umask = process.umask(0o022);
  onTestFinished(() => void process.umask(umask));
}

/** @returns the mode of each file and folder, such as `file 600` */
export function modesIn(folder: string): Readonly<Record<string, string>> {
  const shown = (name: string) => {
    const stats = statSync(join(folder, name));
    return `${stats.isDirectory() ? 'folder' : 'file'} ${(stats.mode & 0o777).toString(8)}`;
  };
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, shown(name)]),
  );
}

/** @returns those that other users of the machine can read or write */
export function openToOthers(modes: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(modes).filter(([, mode]) => mode !== 'file 600' && mode !== 'folder 700');
}

/** Sends them the signal that opens Node's debugger; nobody listens at its port. */
export async function expectNoDebugger(programs: readonly Program[]): Promise<void> {
  for (const { child } of programs) child.kill('SIGUSR1');
  await expect(fetch('http://127.0.0.1:9229/json/list')).rejects.toThrow();
}
