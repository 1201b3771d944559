/** Words typed to the bot: as a mention in a channel, or in its direct messages. Slash commands do not work inside threads. */
import type { Context } from '@slack/bolt';
import type { Answering } from './answering.ts';
import { readTypedMessage } from './envelope.ts';
import type { Posting } from './posting.ts';
import { readRecord } from './read.ts';

export type MessageListenerDeps = { readonly answer: Answering; readonly posting: Posting };

type Heard = { readonly event: unknown; readonly context: Context };

/** In a direct message the answer is for one person anyway; elsewhere only who asked sees it, in the thread it was asked in. */
export function createMessageListener({ answer, posting }: MessageListenerDeps): (heard: Heard) => Promise<void> {
  return async ({ event, context }) => {
    const typed = readTypedMessage(readRecord(event), context.teamId);
    const { botToken } = context;
    if (!typed || botToken === undefined) return;
    const { actor, line, ts, threadTs } = typed;
    const request = { line, actor, isFresh: false };
    const anchorTs = threadTs ?? ts;
    const isDirect = actor.channelId.startsWith('D');
    const place = isDirect ? { botToken } : { botToken, anchorTs };
    const { message, visibility } = await answer(request, { onWait: () => undefined }, place);
    const at = { botToken, channelId: actor.channelId, ...(threadTs !== undefined && { threadTs }) };
    if (isDirect || visibility === 'channel') await posting.post(at, message);
    else await posting.postPrivately(at, actor.userId, message);
  };
}
