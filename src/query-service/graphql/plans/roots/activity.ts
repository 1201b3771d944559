/** Plan of the root field for activity: the executions of each day of a range. */
import { readCosts } from '../../../records/read-cost.ts';
import { readCountsByDay } from '../../../records/reads/read-counts.ts';
import { hasWorkflow } from '../../../records/reads/read-workflows.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import { type ActivityInput, bucketsOf, readActivityInput } from '../../resolvers/activity.ts';
import { byName } from '../objects.ts';
import { planOutput, type RootPlanner } from '../root-plan.ts';

export const workflowActivity: RootPlanner = (type, selected) => {
  const { write } = planOutput(type, selected, byName);
  return (input: ActivityInput, { engine, organizationId, clock }) => {
    const { from, to, span, workflowUuid } = readActivityInput(input, clock());
    const steps = function* (): Steps<string> {
      const counts = yield* readCountsByDay(engine, organizationId, workflowUuid, span);
      // Counts prove that the workflow exists; without counts it has to be looked up.
      const isThere = counts.length > 0 || workflowUuid === null;
      const isKnown = isThere || (yield* hasWorkflow(engine, organizationId, workflowUuid));
      return write({ data: isKnown ? bucketsOf(from, to, counts) : [] });
    };
    return {
      read: 'countsByDay',
      cost: readCosts.countsByDay(organizationId, workflowUuid, span),
      steps: steps(),
    };
  };
};
