/** The facts of digests of the sample that most tests share; truth.long.test.ts has the other windows. */
import { sampleNow } from '../../support/bot/commands.ts';
import { describeTruth, ofEachLength } from './truth.contract.ts';

describeTruth(new Date(sampleNow).toISOString(), ofEachLength);
