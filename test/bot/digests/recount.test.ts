/** Every fact of the digests of ten generated organizations; truth.long.test.ts has the digests of each that are six hours late. */
import { describeRecount } from '../../support/recount/organizations.ts';
import { lateDay } from '../../support/service/generated-organizations.ts';

describeRecount(({ name, windows }) => windows.filter((window) => window !== lateDay || name === 'long runs'));
