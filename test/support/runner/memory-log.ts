/** The real logger into memory. */
import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import { createLog } from '../../../src/shared/log/pino-logger.ts';
import { leaveBit } from './canaries.ts';

export type MemoryLog = ReturnType<typeof createMemoryLog>;

export function createMemoryLog() {
  const lines: string[] = [];
  let all = '';
  const news = new EventEmitter();
  const take = leaveBit('the log');
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      all += String(chunk);
      take(String(chunk));
      news.emit('line');
      done();
    },
  });
  const messages = (): readonly string[] => lines.map((line) => JSON.parse(line).msg);
  return {
    log: createLog({ level: 'trace', destination }),
    text: () => all,
    messages,
    /** Waits until this message was logged this many times. */
    until: async (message: string, times = 1) => {
      while (messages().filter((logged) => logged === message).length < times) await once(news, 'line');
    },
  };
}
