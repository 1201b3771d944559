/**
 * Programs that end by themselves, one after the other in one process for each file of tests: most of the time of a short
 * program is that of its start. Those that are killed, or that people keep running, are started by `program.ts`.
 */
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterAll } from 'vitest';
import { leave } from '../runner/canaries.ts';
import { leaveFiles, newProgramFolder, type ProgramOptions, pathOf, registerSecrets, spawnWatched } from './program.ts';
import type { Turn } from './run-in-turn.ts';

export type Ended = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** That of both streams. */
  readonly output: string;
};

/** Its purpose is to print a key, and nothing else is on its standard output. */
const keyProgram = 'src/bin/service-key.ts';

/** @param leaves servers, for programs that end their process without closing them */
export function useProgramsInTurn(leaves?: 'leaves servers'): (options: ProgramOptions) => Promise<Ended> {
  let shared: ReturnType<typeof startShared> | undefined;
  afterAll(async () => {
    if (!shared) return;
    // What a program left open, such as a database, would keep the process from its end, and the hook waits for that.
    if (leaves) shared.child.kill('SIGKILL');
    else shared.child.disconnect();
    await shared.ended;
    shared.leaveTraffic();
  });
  return async ({ entry, args = [], environment = {}, prepare, ...options }) => {
    const folder = options.folder ?? newProgramFolder();
    prepare?.(folder);
    registerSecrets(environment);
    shared ??= startShared();
    const { child, streams, ended } = shared;
    const mark = `end of ${randomUUID()}`;
    const turn: Turn = { entry: pathOf(entry), args, environment, folder, mark };
    const answered = Promise.all([once(child, 'message'), ...streams.map((read) => read(mark))]);
    child.send(turn);
    const died = ended.then(() => Promise.reject(new Error(`${entry} has ended the process that it shares.`)));
    const [[code], stdout = '', stderr = ''] = await Promise.race([answered, died]);
    leave(`the output of ${entry}`, entry === keyProgram ? stderr : stdout + stderr);
    leaveFiles(folder);
    return { code: Number(code), stdout, stderr, output: stdout + stderr };
  };
}

function startShared() {
  const { child, leaveTraffic } = spawnWatched({
    entry: 'test/support/programs/run-in-turn.ts',
    folder: '/',
    hasChannel: true,
  });
  return { child, leaveTraffic, ended: once(child, 'exit'), streams: [reader(child.stdout), reader(child.stderr)] };
}

/** @returns waits for a mark, and returns what came before it */
function reader(stream: Readable | null): (mark: string) => Promise<string> {
  let text = '';
  const news = new EventEmitter();
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    news.emit('data');
  });
  return async (mark) => {
    while (!text.includes(mark)) await once(news, 'data');
    const [before = '', after = ''] = text.split(mark);
    text = after;
    return before;
  };
}
