/** The stories of samples that are built in the morning and just after midnight. */
import { describeStories } from './stories.ts';

for (const now of ['2026-11-20T10:00:00Z', '2026-03-01T00:03:17Z']) describeStories(now);
