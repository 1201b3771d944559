/** What takes minutes: `npm run test:long`. */
import { defineConfig } from 'vitest/config';
import { options, resolve } from './vitest.config.ts';

export default defineConfig({ resolve, test: { ...options, include: ['test/**/*.long.test.ts'] } });
