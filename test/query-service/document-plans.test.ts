import { describeEngines } from '../support/engines.ts';
import { plansAnswerAsResolvers } from './document-plans.ts';

describeEngines('plans of documents', (newDatabase) => plansAnswerAsResolvers(newDatabase, 2_000, 1));
