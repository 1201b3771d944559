/** Driving the local Slack from a program: a person types and presses, and what people then see is waited for, not polled. */
import type { HistoryEvent, SlackMessage } from './history.ts';
import { isVisible, type Workspace } from './workspace.ts';

export type MessageFilter = {
  readonly channel?: string;
  /** Only what this person sees. */
  readonly viewer?: string;
  /** Only from this author. */
  readonly user?: string;
  readonly threadTs?: string | null;
  /** Only this very message, for waiting until it changes. */
  readonly ts?: string;
  readonly matches?: (message: SlackMessage) => boolean;
};

const waitMsMax = 10_000;

/**
 * Waits for the next message that is posted or changed from now on.
 * @throws Error after ten seconds, with what was seen meanwhile
 */
export function nextMessage(workspaces: readonly Workspace[], filter: MessageFilter): Promise<SlackMessage> {
  return new Promise((resolve, reject) => {
    const seen: string[] = [];
    const stops: (() => void)[] = [];
    const stop = () => {
      clearTimeout(timer);
      for (const off of stops) off();
    };
    const timer = setTimeout(() => {
      stop();
      reject(
        new Error(`No such message within ${waitMsMax / 1000} s. Seen meanwhile: ${seen.join(' | ') || 'nothing'}`),
      );
    }, waitMsMax);
    const look = (event: HistoryEvent) => {
      if (event.type === 'removed') return;
      seen.push(`${event.message.user}: ${event.message.text.slice(0, 80)}`);
      if (!fits(event.message, filter)) return;
      stop();
      resolve(event.message);
    };
    stops.push(...workspaces.map(({ history }) => history.events.on(look)));
  });
}

function fits(message: SlackMessage, { channel, viewer, user, threadTs, ts, matches }: MessageFilter): boolean {
  return (
    (channel === undefined || message.channel === channel) &&
    (viewer === undefined || isVisible(message, viewer)) &&
    (user === undefined || message.user === user) &&
    (threadTs === undefined || message.threadTs === threadTs) &&
    (ts === undefined || message.ts === ts) &&
    (matches === undefined || matches(message))
  );
}
