/** What a digest says of workflows that fail now. */
import { expect, it } from 'vitest';
import type { Health } from '../../../../src/bot/insight/health/health.ts';
import type { DigestFacts } from '../../../../src/bot/views/digest/facts.ts';
import { digestRootMessage } from '../../../../src/bot/views/digest/root.ts';
import { digestFacts, tallyOf } from '../../../support/bot/digest-facts.ts';
import { aHealth, aStreak } from '../../../support/insight/health.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { minuteMs, now } from '../../../support/service/service-data.ts';

function failing(failed: number, since: number): Health {
  return aHealth({
    state: 'failing',
    streak: aStreak({ failed, since, deployedAt: since - 15_000 }),
    newest: { lookedAt: 5, failedInARow: Math.min(5, failed), withErrors: 0 },
  });
}

/** Two failures each, some 100 minutes ago. @param since of the streaks of the first workflows */
function withStreaks(many: number, since: readonly number[], overrides: Partial<DigestFacts> = {}): DigestFacts {
  const facts = digestFacts(tallyOf(many, many), overrides);
  const names = facts.failing.map(({ name }) => name).toSorted();
  return {
    ...facts,
    failing: facts.failing.map((workflow) => {
      const began = since[names.indexOf(workflow.name)];
      return began === undefined ? workflow : { ...workflow, health: failing(2, began) };
    }),
  };
}

it('begins with their names, the last to begin first, and lists them before the others', () => {
  const message = digestRootMessage(withStreaks(3, [now - 300 * minuteMs, now - 200 * minuteMs]));
  expect(message.text).toMatch(
    /^:red_circle: Digest: workflow-1-\S+ and workflow-0-\S+ are failing now\. \S.*\n.*\n:red_circle: Failing now\n• workflow-1-.*\n.*\nWhat to try: .*\n• workflow-0-.*\n.*\nWhat to try: .*\nWorkflows with other failures\n• workflow-2-/,
  );
  expectGoodMessage(message);
});

it('counts those that are left out of the first line', () => {
  const message = digestRootMessage(
    withStreaks(
      6,
      Array.from({ length: 5 }, (_, index) => now - (300 + index) * minuteMs),
    ),
  );
  expect(message.text).toMatch(/^:red_circle: Digest: \S+, \S+, \S+ and 2 more are failing now\. /);
  expectGoodMessage(message);
});

it('says the share of the window too, if one failed before its streak', () => {
  const [all, part] = [now - 300 * minuteMs, now - 100.5 * minuteMs].map(
    (since) => digestRootMessage(withStreaks(1, [since])).text,
  );
  expect(all).toMatch(
    /• workflow-0-\S+: both runs since <!date[^>]*> failed, starting 15 s after the deployment of <!date[^>]*>, new cause/,
  );
  expect(part).toMatch(/• workflow-0-\S+: both runs since <!date[^>]*> failed, starting .*>; 2 failures, new cause/);
});

it('names their deployment once, with them', () => {
  const since = now - 300 * minuteMs;
  const facts = withStreaks(1, [since]);
  const [workflow] = facts.failing;
  const deployments = [since - 15_000, since - 5 * 60 * minuteMs].map((deployedAt) => ({
    ...{ workflowName: workflow?.name ?? '', status: 'ACTIVE', deployedAt },
  }));
  const { text } = digestRootMessage({ ...facts, deployments });
  expect(text.match(/Other deployments of these workflows: [^\n]*/)?.[0].match(/<!date/g)).toHaveLength(1);
});
