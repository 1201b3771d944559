/** What takes minutes: `npm run test:long`. */
import config from './vitest.config.ts';

export default { ...config, test: { ...config.test, include: ['test/**/*.long.test.ts'], exclude: [] } };
