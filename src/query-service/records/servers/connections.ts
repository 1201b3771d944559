/** The open databases of all servers. One that does not answer is opened again until it does. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../shared/errors.ts';
import type { RecordStore } from '../store.ts';

export type ServerStores = {
  /** @throws AppError `unavailable` for a server that does not answer or is not configured */
  readonly of: (server: string) => RecordStore;
  /** The open ones. */
  readonly all: () => ReadonlyMap<string, RecordStore>;
  readonly close: () => Promise<void>;
};

export type ServerStoresOptions = {
  /** URLs by the name of the server. */
  readonly urls: ReadonlyMap<string, string>;
  readonly open: (url: string) => Promise<RecordStore>;
  /** Called with a sentence if a server does not answer at the start. */
  readonly warn: (sentence: string) => void;
};

const againMs = 1_000;

/** @throws the first server's error if none answers */
export async function openServerStores({ urls, open, warn }: ServerStoresOptions): Promise<ServerStores> {
  const opened = new Map<string, RecordStore>();
  const stopped = new AbortController();
  const openAgain = async (server: string, url: string) => {
    while (!stopped.signal.aborted && !opened.has(server)) {
      await wait(againMs, undefined, { signal: stopped.signal, ref: false }).catch(() => {});
      if (stopped.signal.aborted) return;
      await open(url).then(
        (store) => opened.set(server, store),
        () => {},
      );
    }
  };
  const results = await Promise.allSettled([...urls.values()].map(open));
  const retries: Promise<void>[] = [];
  const failures: unknown[] = [];
  for (const [index, server] of [...urls.keys()].entries()) {
    const result = results[index];
    if (result?.status === 'fulfilled') opened.set(server, result.value);
    else {
      failures.push(result?.reason);
      warn(`The server ${server} cannot be used: ${sentenceOf(result?.reason)}`);
    }
  }
  if (opened.size === 0) throw failures[0];
  for (const [server, url] of urls) if (!opened.has(server)) retries.push(openAgain(server, url));
  return {
    of(server) {
      const store = opened.get(server);
      if (store !== undefined) return store;
      if (urls.has(server))
        throw new AppError('unavailable', `The server ${server} does not answer.`, { isRetryable: true });
      throw new AppError('unavailable', `SERVICE_SERVERS lacks the server ${server}.`);
    },
    all: () => opened,
    async close() {
      stopped.abort();
      await Promise.all(retries);
      await Promise.all([...opened.values()].map((store) => store.close()));
    },
  };
}

/** @returns the message without its full stop */
export function sentenceOf(error: unknown): string {
  return (error instanceof AppError ? error.publicMessage : String(error)).replace(/\.$/, '');
}
