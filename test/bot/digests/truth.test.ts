/** The facts of digests of the sample that most tests share. */
import { sampleNow } from '../../support/bot/commands.ts';
import { describeTruth, windows } from './truth.contract.ts';

describeTruth(new Date(sampleNow).toISOString(), windows);
