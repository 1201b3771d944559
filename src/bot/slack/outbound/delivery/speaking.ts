/** What the bot says without being asked, and what it asks Slack for that. */

import type { Channels } from '../../../commands/words/digest/digests.ts';
import type { Person } from '../../../domain/person.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { AudienceOf } from '../../inbound/middleware/audience.ts';
import { createConversations } from '../web-api/conversations.ts';
import { createDigestPosting, type DigestPosting, type DigestPostingDeps } from './digest-posting.ts';
import { createPosting, type PostingDeps } from './posting.ts';
import type { Telling } from './telling.ts';

export type Speaking = Channels & {
  /** Says something to one person, in direct messages. Never rejects. @returns whether Slack took it */
  readonly tell: (person: Person, message: Message) => Promise<boolean>;
  readonly digests: DigestPosting;
};

type SpeakingDeps = PostingDeps &
  Pick<DigestPostingDeps, 'workspaces' | 'clock' | 'wait' | 'stopping'> & {
    readonly tellAt: Telling;
    readonly audienceOf: AudienceOf;
  };

export function createSpeaking(deps: SpeakingDeps): Speaking {
  const tell: Speaking['tell'] = async ({ teamId, userId }, message) => {
    const workspace = await deps.workspaces.find(teamId).catch(() => undefined);
    return workspace !== undefined && deps.tellAt(workspace, userId, message);
  };
  const uptime = () => performance.now();
  const posting = createPosting(deps);
  return {
    ...createConversations({ ...deps, posting }),
    tell,
    digests: createDigestPosting({ ...deps, tell, uptime, posting }),
  };
}
