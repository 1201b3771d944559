/** Where the author of a message is at home: in a channel that companies share (Slack Connect) people of each can mention the bot. */
import { type JsonRecord, readRecord, readText } from './read.ts';

/** The events that carry what somebody typed. */
const typed: ReadonlySet<unknown> = new Set(['app_mention', 'message']);

/**
 * https://docs.slack.dev/apis/slack-connect: `user_team` stands in shared channels alone; `team` says the same, where it is there.
 * @param body that Slack signed
 * @returns a workspace or an enterprise; `unknown` where Slack does not say in a shared channel, so that nobody can tell;
 *   undefined where the author can be from nowhere else
 */
export function readAuthorsHome(body: JsonRecord): string | undefined {
  const event = readRecord(body['event']);
  if (!typed.has(event['type'])) return undefined;
  const isShared = body['is_ext_shared_channel'] === true;
  return readText(event, 'user_team', ...(isShared ? ['team'] : [])) ?? (isShared ? 'unknown' : undefined);
}
