import { describeEngines } from '../../support/databases/engines.ts';
import { seed } from '../../support/runner/seed.ts';
import { plansAnswerAsResolvers } from './document-plans.ts';

describeEngines('plans of documents', (newDatabase) => plansAnswerAsResolvers(newDatabase, 100_000, seed));
