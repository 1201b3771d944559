/** `activity`: successes and failures by day, as text and as a picture. */
import { z } from 'zod';
import { activitySvg } from '../../../views/charts/activity.ts';
import { activityAlt } from '../../../views/charts/alt-text.ts';
import { daysExpression, workflowText } from '../../framework/arguments.ts';
import { type AnswerFile, defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope } from '../../lookup/find-workflow.ts';
import { type Activity, activityMessage, activityTitle, hasRuns } from './view.ts';

export const activity = defineCommand({
  name: 'activity',
  group: 'look',
  summary: 'successes and failures per day, of one workflow or of all, with a picture',
  usage: '[name] [window]',
  examples: ['activity payments', 'activity', 'activity fx-rates 30d'],
  arguments: z.strictObject({ text: workflowText.optional(), window: daysExpression }),
  run: async ({ text, window: expression }, context) => {
    const scope = await readScope({ text, window: expression, lineFor: (uuid) => `activity ${uuid}` }, context);
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, filter, window, now } = scope;
    const [workflow, { data: days, provenance }] = await Promise.all([scope.workflow(), ask.activity(filter)]);
    const facts = { workflow, days, window, provenance, now };
    const answer = ephemeral(activityMessage(facts));
    return hasRuns(facts) ? { ...answer, files: [pictureOf(facts, context.drawPng)] } : answer;
  },
});

/** Draws the same numbers as the text. */
function pictureOf(facts: Activity, drawPng: (svg: string) => Promise<Uint8Array>): AnswerFile {
  const picture = { title: activityTitle(facts), buckets: facts.days };
  return {
    name: 'activity.png',
    title: 'Successes and failures per day',
    altText: activityAlt(picture),
    content: () => drawPng(activitySvg(picture)),
  };
}
