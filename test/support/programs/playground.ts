/** The playground as a process. */
import { afterAll } from 'vitest';
import { type Program, startProgram } from './program.ts';

export type Playground = {
  readonly program: Program;
  /** URL of the page. */
  readonly url: string;
  readonly servicePort: number;
};

/** A playground takes free ports and prints its addresses. */
export const ownPorts = { PLAYGROUND_PORT: '0', SERVICE_PORT: '0' };

/** @param program has said its welcome */
export function addressesOf(program: Program): Pick<Playground, 'url' | 'servicePort'> {
  const [, url = ''] = /^ {2}Open +(http\S+)$/m.exec(program.output()) ?? [];
  const [, service = ''] = /(http:\S+)\/graphql/.exec(program.output()) ?? [];
  return { url, servicePort: Number(new URL(service).port) };
}

/** One for all tests of a file, which begins in an empty folder. @returns the running one, or another one in its folder if it has ended */
export function usePlayground(): () => Promise<Playground> {
  const ends: (() => Promise<void>)[] = [];
  let latest: Playground | undefined;
  afterAll(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return async () => {
    if (latest && latest.program.child.exitCode === null && latest.program.child.signalCode === null) return latest;
    // Files can be read by everybody, unless the program says otherwise.
    const umask = process.umask(0o022);
    const program = startProgram({
      entry: 'src/bin/start.ts',
      environment: ownPorts,
      ...(latest && { folder: latest.program.folder }),
      atEnd: (end) => ends.push(end),
    });
    process.umask(umask);
    await program.said(/Ctrl-C stops everything\.\n$/);
    latest = { program, ...addressesOf(program) };
    return latest;
  };
}
