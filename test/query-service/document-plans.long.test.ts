import { describeEngines } from '../support/engines.ts';
import { seed } from '../support/seed.ts';
import { plansAnswerAsResolvers } from './document-plans.ts';

describeEngines('plans of documents', (newDatabase) => plansAnswerAsResolvers(newDatabase, 100_000, seed));
