/** What takes minutes: `npm run test:long`. */
import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { options } from './vitest.config.ts';

const long = { include: ['test/**/*.long.test.ts'], provide: { seed: randomInt(2 ** 31) } };

export default defineConfig({ test: { ...options, ...long } });
