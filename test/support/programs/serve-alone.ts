/** A program: the query service with the test's records, which reports its memory after a garbage collection to its parent. */
import { silentLog, startTestService } from '../service/service.ts';

const service = await startTestService({ databaseUrl: process.argv[2] ?? '', log: silentLog });
const tell = (message: object) => process.send?.(message);

/** Twice, because a second collection frees the objects that the first one finalised. */
function liveBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', () => tell({ liveBytes: liveBytes(), residentBytes: process.memoryUsage.rss() }));
process.on('disconnect', () => process.exit());
tell({ url: service.url, apiKey: service.apiKeys.harbor });
