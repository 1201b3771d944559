/** What the bot needs of a receiver beyond what Bolt needs, whichever transport it speaks. */
import type { Receiver } from '@slack/bolt';

export type SlackReceiver = Receiver & {
  /** Whether Slack can reach this process now. */
  readonly isConnected: () => boolean;
  /** Waits until everything that came in has been worked off. */
  readonly settled: () => Promise<void>;
};
