/** `activity`: successes and failures by hour or day, as text and as a chart, or as a picture where Slack refuses the chart. */
import { z } from 'zod';
import { lastDays } from '../../../domain/window-words.ts';
import { activitySvg } from '../../../views/charts/activity.ts';
import { unitOf } from '../../../views/charts/activity-bins.ts';
import { activityAlt } from '../../../views/charts/alt-text.ts';
import { windowFlag, workflowText } from '../../framework/arguments.ts';
import { type AnswerFile, defineCommand, ephemeral } from '../../framework/command.ts';
import { readScope } from '../../lookup/scope.ts';
import { type Activity, activityMessage, activityTitle, hasRuns } from './view.ts';

export const activity = defineCommand({
  name: 'activity',
  group: 'look',
  summary: 'successes and failures per day (per hour up to 30 h) of one workflow or of all, with a chart',
  usage: '[name] [window]',
  examples: ['activity payments', 'activity 24h', 'activity fx-rates 30d'],
  arguments: z.strictObject({ text: workflowText.optional(), window: windowFlag }),
  run: async ({ text, window: flag }, context) => {
    const scope = await readScope(
      { text, window: flag, usual: lastDays, lineFor: (uuid) => `activity ${uuid}` },
      context,
    );
    if (scope.kind === 'choose') return ephemeral(scope.message);
    const { ask, filter, window, now } = scope;
    const [workflow, { data: buckets, provenance }] = await Promise.all([scope.workflow(), ask.activitySeries(filter)]);
    const zone = unitOf(buckets) === 'hour' ? await context.zone() : 'UTC';
    const facts = { workflow, buckets, zone, window, provenance, now };
    const answer = ephemeral(activityMessage(facts));
    return hasRuns(facts) ? { ...answer, files: [pictureOf(facts, context.drawPng)] } : answer;
  },
});

/** Draws the same numbers as the text. */
function pictureOf(facts: Activity, drawPng: (svg: string) => Promise<Uint8Array>): AnswerFile {
  const picture = { title: activityTitle(facts), buckets: facts.buckets, zone: facts.zone };
  return {
    name: 'activity.png',
    title: `Successes and failures per ${unitOf(facts.buckets)}`,
    altText: activityAlt(picture),
    isChartPicture: true,
    content: () => drawPng(activitySvg(picture)),
  };
}
