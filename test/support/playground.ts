/** The playground as a process, with an existing sample database. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './ports.ts';
import { type Program, startProgram } from './program.ts';
import { recentSample } from './sample-database.ts';

export type Playground = {
  readonly program: Program;
  /** URL of the page. */
  readonly url: string;
  readonly servicePort: number;
};

/** @param earlier ended, whose folder it takes over @returns once it has started; it is killed when the test ends */
export async function startPlayground(earlier?: Playground): Promise<Playground> {
  const [page = 0, servicePort = 0] = await freePorts(2);
  const copySample = await recentSample();
  const program = startProgram({
    entry: 'src/bin/start.ts',
    environment: { PLAYGROUND_PORT: String(page), SERVICE_PORT: String(servicePort) },
    ...(earlier && { folder: earlier.program.folder }),
    prepare: (folder) => {
      if (earlier) return;
      mkdirSync(join(folder, 'data'), { mode: 0o700 });
      copySample(join(folder, 'data/service.db'));
    },
  });
  await program.said(/Ctrl-C stops everything\.\n$/);
  return { program, url: `http://127.0.0.1:${page}`, servicePort };
}
