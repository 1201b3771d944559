/** The facts of digests of samples built on a weekday, and just after midnight on the first of a month, and of late digests of generated organizations. */
import { describeRecount } from '../../support/recount/organizations.ts';
import { lateDay } from '../../support/service/generated-organizations.ts';
import { describeTruth, untilTheBuild, windows } from './truth.contract.ts';

describeTruth('2026-11-20T10:00:00Z', windows);
describeTruth('2026-03-01T00:03:17Z', untilTheBuild);
describeRecount(({ windows }) => windows.filter((window) => window === lateDay));
