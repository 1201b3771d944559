/** Logger for Slack's libraries, which log whole envelopes, tokens and texts at debug level: passes on harmless lines only. */
import { LogLevel, type Logger as SdkLogger } from '@slack/bolt';
import type { Logger } from '../../../../shared/log/logger.ts';
import { describe, describeText } from './errors.ts';

/** The only line of detail that carries nothing of a payload. */
const harmlessDetail = /^apiCall\('[\w.]+'\) (?:start|end)$/;

/** @returns a logger for Bolt and web-api: lines of detail by an allow-list, the others described */
export function createSdkLog(log: Logger): SdkLogger {
  const fields = (parts: readonly unknown[]) => ({ detail: parts.map(part).join(' ') });
  return {
    debug: (...parts) => {
      const [line] = parts;
      if (typeof line === 'string' && harmlessDetail.test(line)) log.debug(fields([line]), 'slack library detail');
    },
    info: (...parts) => log.info(fields(parts), 'slack library says'),
    warn: (...parts) => log.warn(fields(parts), 'slack library warns'),
    error: (...parts) => log.error(fields(parts), 'slack library reports an error'),
    getLevel: () => LogLevel.INFO,
    // The level is ours to set, and one logger serves several of their objects.
    setLevel: () => undefined,
    setName: () => undefined,
  };
}

function part(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  return value instanceof Error ? describe(value) : typeof value;
}
