/** Finds a message whose post had no certain outcome, once Slack's history has to show it. */
import { defaultWait } from '../../../outbox/timing.ts';
import type { MessageTarget } from './client.ts';
import { readOwnMessage } from './history.ts';
import type { HistoryReader, HistoryReaderDeps } from './history-reader.ts';

/** `absent`: certainly not posted. `unknown`: the history cannot be read, or the bot stops. */
type FoundPost = { readonly kind: 'posted'; readonly ts: string } | { readonly kind: 'absent' | 'unknown' };

/** Never rejects. @param startedAt of the post, epoch milliseconds */
export type FindPost = (target: MessageTarget, opaqueId: string, startedAt: number) => Promise<FoundPost>;

export type FindPostDeps = Pick<HistoryReaderDeps, 'clock' | 'stopping' | 'wait'> & {
  readonly history: HistoryReader;
};

/** A call takes 10 s at most, and the history shows its message within half a minute. */
const visibleAfterMs = 40_000;
/** Slack's clock may be slow. */
const clockSkewMs = 60_000;
/** Two calls at the lowest rate that Slack allows. */
const waitMsMax = 120_000;

export function createFindPost({ history, clock, stopping, wait = defaultWait }: FindPostDeps): FindPost {
  const read = history({ pick: readOwnMessage });
  return async (target, opaqueId, startedAt) => {
    await wait(Math.max(0, startedAt + visibleAfterMs - clock()), stopping).catch(() => undefined);
    if (stopping.aborted) return { kind: 'unknown' };
    // The end makes each look a new one.
    const found = await read({ target, span: { from: startedAt - clockSkewMs, to: clock() + clockSkewMs }, waitMsMax });
    if ('kind' in found) return { kind: 'unknown' };
    const post = found.find((message) => message.opaqueId === opaqueId);
    return post ? { kind: 'posted', ts: post.ts } : { kind: 'absent' };
  };
}
