/** The facts about one failure, a line each. */
import type { RichTextElement } from '@slack/types';
import { bold, date, plain, rich, trusted } from '../blocks/rich-text.ts';
import { count, counted, percent } from '../format/number.ts';
import { duration, preciseDuration } from '../format/time.ts';
import type { Facts } from './facts.ts';
import { callText, failingStepText, stepText } from './step-text.ts';

type Lines = readonly (readonly RichTextElement[])[];

export function factLines(facts: Facts): Lines {
  if (facts.status !== 'FAILURE') return [...durationLine(facts), ...runningLines(facts), ...flawedLines(facts)];
  return [
    ...failingLine(facts),
    ...unreachedLine(facts),
    ...durationLine(facts),
    ...flawedLines(facts),
    ...oddNodesLine(facts),
    ...streakLines(facts),
    ...recoveryLine(facts),
    ...recurrenceLine(facts),
    ...elsewhereLine(facts),
    ...blameLine(facts),
  ];
}

function failingLine({ failing }: Facts): Lines {
  if (failing === null) return [];
  const { state, status } = failing.step;
  const reported =
    state === 'completed_with_errors' ? rich`, although the platform reports it as ${plain(status, 60)}` : [];
  return [rich`${failingStepText(failing)}${reported}`];
}

/** What was not done may be what it costs. */
function unreachedLine({ unreached }: Facts): Lines {
  if (unreached.length === 0) return [];
  const named = unreached.slice(0, stepsNamedMax);
  const words = named.flatMap((step, index) => (index === 0 ? callText(step) : rich`, ${callText(step)}`));
  const left = unreached.length - named.length;
  const rest = left > 0 ? rich` and ${trusted(counted(left, 'more step'))}` : [];
  return [rich`${bold('Not done')}: ${words}${rest}`];
}

const stepsNamedMax = 3;

function runningLines({ runningSteps }: Facts): Lines {
  const lines = runningSteps.slice(0, stepsNamedMax).map((running) => rich`Now in ${stepText(running)}`);
  const left = runningSteps.length - lines.length;
  return left > 0 ? [...lines, rich`and in ${trusted(counted(left, 'more step'))}`] : lines;
}

function flawedLines({ flawedSteps, status }: Facts): Lines {
  const although = status === 'SUCCESS' ? rich`Succeeded although ` : rich`Besides, `;
  const lines = flawedSteps.slice(0, stepsNamedMax).map((flawed) => {
    const nodes = Math.max(0, ...flawed.step.errors.map(({ count: told }) => told));
    const where = nodes === 0 ? '' : ` on ${counted(nodes, 'node')}`;
    return rich`${although}${stepText(flawed)}, had errors${trusted(where)}`;
  });
  const left = flawedSteps.length - lines.length;
  return left > 0 ? [...lines, rich`and ${trusted(counted(left, 'more step'))} with errors`] : lines;
}

function durationLine({ startedAt, finishedAt, now, status }: Facts): Lines {
  if (finishedAt !== null && finishedAt >= startedAt)
    return [rich`Took ${trusted(preciseDuration(finishedAt - startedAt))}`];
  const isRunning = status !== 'SUCCESS' && status !== 'FAILURE';
  return isRunning && now >= startedAt ? [rich`Running for ${trusted(preciseDuration(now - startedAt))} so far`] : [];
}

const nodesNamedMax = 3;

function oddNodesLine({ oddNodes }: Facts): Lines {
  if (oddNodes.length === 0 || oddNodes.length > nodesNamedMax) return [];
  const verb = oddNodes.length === 1 ? 'differs' : 'differ';
  return [rich`${bold(oddNodes.join(', '), 200)} ${trusted(verb)} from the other nodes: see the logs`];
}

/** Failures without an error text are alike in that alone. */
function causeWords({ errors }: Facts): string {
  return errors.length === 0 ? 'without an error text' : 'of this cause';
}

function streakLines(facts: Facts): Lines {
  const { streak, lastGoodAt } = facts;
  const good = lastGoodAt === null ? [] : [rich`Last good run: ${date(lastGoodAt)}`];
  if (streak === null) return good;
  if (streak.count === 1 && lastGoodAt !== null) {
    return [rich`The only failure since the last good run (${date(lastGoodAt)})`];
  }
  if (streak.count === 1) return [rich`The only failure that is known`];
  const or = streak.isCut ? ' or more' : '';
  const same =
    streak.sameCauseCount === streak.count
      ? rich`all ${trusted(causeWords(facts))}`
      : rich`${trusted(count(streak.sameCauseCount))} ${trusted(causeWords(facts))}`;
  const first = streak.isCut ? 'the oldest known' : 'since';
  const row = rich`${trusted(`${count(streak.count)}${or}`)} failures in a row, ${same}, ${trusted(first)} ${date(streak.since)}`;
  return [row, ...good];
}

/** Only what the first line does not say. */
function recoveryLine({ recovery, hasNotRecovered, streak }: Facts): Lines {
  if (recovery !== null)
    return recovery.isFirst ? [] : [rich`It has succeeded since, the last time ${date(recovery.at)}`];
  const isSaid = !hasNotRecovered || (streak !== null && streak.count > 1);
  return isSaid ? [] : [rich`No run has succeeded since`];
}

function recurrenceLine(facts: Facts): Lines {
  const { recurrence, streak } = facts;
  if (recurrence === null) return [];
  const { others, isCut, first, last } = recurrence;
  if (others === 0) {
    return isCut || streak === null
      ? []
      : [
          rich`${bold('New')}: no failure ${trusted(causeWords(facts))} is known ${trusted(streak.count > 1 ? 'before these' : 'before it')}`,
        ];
  }
  if (others === 1 && !isCut)
    return [rich`${bold('Recurring')}: one other failure ${trusted(causeWords(facts))}, ${date(first)}`];
  const number = `${isCut ? 'at least ' : ''}${counted(others, 'other failure')}`;
  return [
    rich`${bold('Recurring')}: ${trusted(number)} ${trusted(causeWords(facts))}, from ${date(first)} to ${date(last)}`,
  ];
}

const workflowsNamedMax = 6;

function elsewhereLine({ elsewhere }: Facts): Lines {
  if (elsewhere === null) return [];
  const { workflows, withinMs, isCut } = elsewhere;
  const within = trusted(`within ${duration(withinMs)} of it`);
  if (workflows.length === 0) return isCut ? [] : [rich`Only this workflow failed this way ${within}`];
  const names = workflows
    .slice(0, workflowsNamedMax)
    .flatMap((name, index) => [...(index > 0 ? rich`, ` : []), plain(name, 60)]);
  const left = workflows.length - workflowsNamedMax;
  const more = left > 0 ? rich` and ${trusted(count(left))} more` : [];
  const number = `${isCut ? 'at least ' : ''}${counted(workflows.length, 'other workflow')}`;
  return [rich`${bold('Not alone')}: ${trusted(number)} failed this way ${within}: ${names}${more}`];
}

function blameLine({ blame }: Facts): Lines {
  if (blame === null) return [];
  const { before, after, deployment, beganAfterMs } = blame;
  const deployedAt = date(Date.parse(String(deployment.deployedAt)));
  const rates = `${count(before.failed)} of ${count(before.total)} failed before, ${count(after.failed)} of ${count(after.total)} (${percent(after.failed, after.total)}) after`;
  const when = beganAfterMs === null ? 'with' : `${duration(beganAfterMs)} after`;
  return [rich`Failures began ${trusted(when)} the deployment of ${deployedAt}: ${trusted(rates)}`];
}
