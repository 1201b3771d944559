/** What the bot says without being asked, and what it asks Slack for that. */

import type { Channels } from '../../../commands/words/digest/actions.ts';
import type { Person } from '../../../domain/person.ts';
import type { DigestPosting } from '../../../outbox/ports.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { AudienceOf } from '../web-api/audience.ts';
import { createChannels } from './channels.ts';
import { createDigestPosting, type DigestPostingDeps } from './digest-posting.ts';
import type { NotifyUser } from './notify-user.ts';
import { createPosting, type PostingDeps } from './posting.ts';

export type Speaking = Channels & {
  /** Says something to one person, in direct messages. Never rejects. @returns whether Slack took it */
  readonly tell: (person: Person, message: Message) => Promise<boolean>;
  readonly digests: DigestPosting;
};

type SpeakingDeps = PostingDeps &
  Pick<DigestPostingDeps, 'workspaces' | 'clock' | 'wait' | 'stopping'> & {
    readonly tellAt: NotifyUser;
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
    ...createChannels({ ...deps, posting }),
    tell,
    digests: createDigestPosting({ ...deps, tell, uptime, posting }),
  };
}
