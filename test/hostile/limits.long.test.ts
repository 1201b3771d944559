/** The hostile case about the longest log, which takes ten seconds. */
import { it } from 'vitest';
import { millionLogLines } from './limits.ts';

it('text/log-1M-lines: logs are bounded in memory and in Slack', millionLogLines);
