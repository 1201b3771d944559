/** A program: the query service with the test's records, which tells its parent how much memory it holds after a collection. */
import { silentLog, startTestService } from './service.ts';

const service = await startTestService({ databaseUrl: process.argv[2] ?? '', log: silentLog });
const tell = (message: object) => process.send?.(message);

/** Twice, since what a first collection finalises a second one frees. */
function liveBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', () => tell({ liveBytes: liveBytes(), residentBytes: process.memoryUsage.rss() }));
process.on('disconnect', () => process.exit());
tell({ url: service.url, apiKey: service.apiKeys.harbor });
