/** The audit of known vulnerabilities, in the cases that supply-chain.test.ts leaves out. */
import { it } from 'vitest';
import { expectAudit, moreAudits } from './audits.ts';

it.each(moreAudits)('the audit, if %s', async (_, answer, code, output) => expectAudit(answer, code, output));
