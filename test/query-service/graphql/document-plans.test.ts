import { describeEngines } from '../../support/databases/engines.ts';
import { longTextsAnswerAsResolvers, plansAnswerAsResolvers } from './document-plans.ts';

describeEngines('plans of documents', (newDatabase) => {
  plansAnswerAsResolvers(newDatabase, 300, 1);
  longTextsAnswerAsResolvers(newDatabase);
});
