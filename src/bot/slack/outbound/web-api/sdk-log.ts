/** Logger for Slack's libraries, which log whole envelopes, tokens and texts at debug level: passes only harmless lines. */
import { LogLevel, type Logger as SdkLogger } from '@slack/bolt';
import type { Logger } from '../../../../shared/log/logger.ts';
import { describe, describeText } from './errors.ts';

/** The only debug line without parts of a payload. */
const harmlessDetail = /^apiCall\('[\w.]+'\) (?:start|end)$/;

/** @returns a logger for Bolt and web-api: debug lines pass an allow-list, the other lines are masked */
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
    // The bot sets the level, and several SDK objects share one logger.
    setLevel: () => undefined,
    setName: () => undefined,
  };
}

function part(value: unknown): string {
  if (typeof value === 'string') return describeText(value);
  return value instanceof Error ? describe(value) : typeof value;
}
