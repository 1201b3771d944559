/** How long Slack waits for the bot; tests with the local Slack allow ten times as much. */
import { expect, test } from 'vitest';
import { waitingTimes } from '../../../src/bot/slack/waiting-times.ts';

test('whatever Slack gives up on after three seconds is sent a second before that', () => {
  const { acknowledgeWithinMs, answerInAckWithinMs, loadingModalAfterMs } = waitingTimes;
  for (const ms of [acknowledgeWithinMs, answerInAckWithinMs, loadingModalAfterMs]) {
    expect(ms).toBeLessThanOrEqual(2_000);
  }
});
