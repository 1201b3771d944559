/** More than a year in forty zones with outages: each occurrence is posted, or reported as missed, once. */
import { expect, it } from 'vitest';
import { nextDue } from '../../../src/bot/domain/schedule.ts';
import { leaseMs, openOutbox, plan, start } from '../../support/bot/outbox.ts';
import { dueTimesOf } from '../../support/runner/wall-clock.ts';
import { zones } from '../../support/runner/zones.ts';

const hourMs = 3_600_000;
const days = 400;

it('each occurrence of 400 days in 40 zones is posted or reported once, despite outages', async () => {
  const { outbox, subscriptions, claim, planDue, pass } = await openOutbox('sqlite::memory:');
  const places = zones.map((zone, index) => ({ zone, time: `0${index % 4}:15`, teamId: `T${index}` }));
  for (const { teamId, ...when } of places) {
    const schedule = { ...plan.schedule, ...when };
    await subscriptions.create(
      teamId,
      { ...plan, schedule },
      { userId: 'U1', at: start },
      nextDue(schedule, { at: start }),
    );
  }
  const told = new Map(places.map(({ teamId }): [string, string[]] => [teamId, []]));
  const deliver = async (isKilled: boolean) => {
    await planDue();
    for (const { key, missed, lease } of await claim()) {
      // Goes on when the lease is over, as does one of two that would tell of the same.
      if (isKilled || !(await lease.savePayload('', []))) continue;
      await lease.finish('posted');
      told.get(key.teamId)?.push(...missed.map(({ occurrenceId }) => occurrenceId), key.occurrenceId);
    }
  };
  for (let hours = 0, step = 1; hours < days * 24; hours += 3 * step) {
    step = (step * 31) % 97;
    pass(3 * step * hourMs);
    await deliver(step % 7 === 0);
  }
  for (let looks = 0; looks < 3; looks += 1) {
    pass(leaseMs);
    await deliver(false);
  }
  const end = await outbox.now();
  for (const { teamId, zone, time } of places) {
    const dueTimes = dueTimesOf(zone, time, start, end).map(([localTime]) => localTime);
    expect(told.get(teamId)?.sort()).toEqual(dueTimes);
    expect(dueTimes.length).toBeGreaterThanOrEqual(days - 1);
  }
});
