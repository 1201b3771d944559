/** Causes of failures, read once for as long as their answer is cached: during an incident many people open the same failures. */
import { memoize } from '../../shared/cache/memoize.ts';
import { readCauses } from '../insight/causes/cause.ts';
import type { Execution } from '../query/results.ts';

export const causesOf = memoize((failures: readonly Execution[]) => readCauses(failures));
