/** What a digest says of workflows that fail now. */
import { expect, it } from 'vitest';
import type { Health } from '../../../../src/bot/insight/health/health.ts';
import { fitMessage } from '../../../../src/bot/views/blocks/fit.ts';
import type { DigestFacts } from '../../../../src/bot/views/digest/facts.ts';
import { digestRootMessage } from '../../../../src/bot/views/digest/root.ts';
import { crowded, digestFacts, tallyOf } from '../../../support/bot/digest-facts.ts';
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

/** Two failures each, some 100 minutes ago. @param since of the streaks of the first workflows @param failed in each */
function withStreaks(many: number, since: readonly number[], failed: readonly number[] = []): DigestFacts {
  const facts = digestFacts(tallyOf(many, many));
  const names = facts.failing.map(({ name }) => name).toSorted();
  return {
    ...facts,
    failing: facts.failing.map((workflow) => {
      const index = names.indexOf(workflow.name);
      const began = since[index];
      return began === undefined ? workflow : { ...workflow, health: failing(failed[index] ?? 2, began) };
    }),
  };
}

it('begins with their names, the most failures in a row first, and lists them before the others', () => {
  const message = digestRootMessage(withStreaks(3, [now - 200 * minuteMs, now - 300 * minuteMs], [2, 81]));
  expect(message.text).toMatch(
    /^:red_circle: Digest: workflow-1-\S+ and workflow-0-\S+ are failing now\. \S.*\n.*\n:red_circle: Failing now\n• workflow-1-.*\n.*\nWhat to try: .*\n• workflow-0-.*\n.*\nWhat to try: .*\nOther failures: \d+ in \d+ workflows?\n• workflow-2-/,
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

const longName = (index: number) => `${index}-the-settlement-of-another-team-far-away-from-home`.slice(0, 48);

/** Beside an incident and every other fact: names, errors and numbers as long as they are shown. */
function inTrouble(many: number): DigestFacts {
  const calm = digestFacts(tallyOf(many, many), crowded);
  const outage = digestFacts(tallyOf(3, 1, 'SYSTEM_ERROR'));
  const failing = calm.failing.map((each, index) => {
    const since = now - (60 + index) * minuteMs;
    const title = 'settlement currency was refused by the ledger of the counterparty, '.repeat(9);
    const sample = { errors: [{ error: title, count: 1 }] };
    const main = each.main && {
      ...each.main,
      cause: { ...each.main.cause, title },
      sample: { ...each.main.sample, ...sample },
    };
    const deployment = { uuid: 'd', status: 'ACTIVE', deployedAt: new Date(since - 15_000).toISOString() };
    const stretch = { from: since, to: now, total: 9, failed: 9 };
    const numbers = { deployment, before: stretch, after: stretch, byChance: 0 };
    const blamed = {
      kind: 'blamed',
      ...numbers,
      beganAfterMs: 15_000,
      isReplaced: false,
      previous: deployment,
    } as const;
    const failure = main && { cause: main.cause, errors: sample.errors };
    const streak = aStreak({ failed: 1234, since, deployedAt: since - 15_000, blamed, failure });
    const health = aHealth({ state: 'failing', streak });
    return { ...each, name: longName(index), main, otherCauses: 12, hasNewCause: true, health };
  });
  const others = outage.failing.map((each) => ({ ...each, name: `other ${each.name}`, health: null }));
  return { ...calm, failing: [...failing, ...others], causes: [...calm.causes, ...outage.causes] };
}

it.each([3, 4, 8])('names each of %i, since when it fails and why, within the length of a posted message', (many) => {
  const root = digestRootMessage(inTrouble(many));
  expectGoodMessage(root);
  expect(fitMessage(root, '/workflow')).toBe(root);
  for (const index of Array.from({ length: Math.min(many, 5) }).keys()) {
    expect(root.text).toMatch(
      new RegExp(
        `• ${longName(index)}: all 1,234 runs since <!date.* failed.*\n(?:2× )?settlement .*\nWhat to try: roll back`,
      ),
    );
  }
  if (many > 5) expect(root.text).toContain(`• and ${many - 5} more: ${longName(5)}`);
  expect(root.text).toMatch(/Left out, because Slack limits the length of a posted message: the chart and notes/);
});
