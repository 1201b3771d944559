/** The playground as a process, with an existing sample database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { recentSample } from '../service/sample-database.ts';
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

/** @param earlier ended, whose folder it takes over @returns once it has started; it is killed when the test ends */
export async function startPlayground(earlier?: Playground): Promise<Playground> {
  const copySample = await recentSample();
  const program = startProgram({
    entry: 'src/bin/start.ts',
    environment: ownPorts,
    ...(earlier && { folder: earlier.program.folder }),
    prepare: (folder) => {
      if (earlier) return;
      mkdirSync(join(folder, 'data'), { mode: 0o700 });
      copySample(join(folder, 'data/service.db'));
    },
  });
  await program.said(/Ctrl-C stops everything\.\n$/);
  return { program, ...addressesOf(program) };
}
