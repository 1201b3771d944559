/** Where an answer may be seen: as the admins of the workspace have it. */

import type { Actor } from '../../domain/person.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import { isShareable } from '../../views/blocks/command-button.ts';
import { logsRestrictedMessage } from '../../views/notices/problem.ts';
import type { Answer, MessageAnswer, ThreadAnswer } from './command.ts';

/** @returns the same answer where nothing is to be different */
export function placed(answer: Answer, settings: WorkspaceSettings, { channelId }: Actor): Answer {
  const mayHoldLogs = mayShowLogs(settings, channelId);
  switch (answer.kind) {
    case 'modal':
      return answer;
    case 'thread':
      return mayHoldLogs ? answer : withoutLogs(answer);
    case 'message':
      return answer.holdsLogs && !mayHoldLogs ? { ...answer, isDirect: true } : shown(answer, settings);
  }
}

/** Direct messages are no channel. */
function mayShowLogs({ logChannels }: WorkspaceSettings, channelId: string): boolean {
  return logChannels === null || channelId.startsWith('D') || logChannels.includes(channelId);
}

/** Whoever wants them asks for them, and gets them in direct messages. */
function withoutLogs(answer: ThreadAnswer): ThreadAnswer {
  const replies = answer.replies.map(({ name, message, files, holdsLogs }) =>
    holdsLogs
      ? { name, message: logsRestrictedMessage(`logs ${answer.subject}`) }
      : { name, message, ...(files && { files }) },
  );
  return { ...answer, replies };
}

/** What can be shared is what a channel may see unasked: no question to the person, no refusal, nothing of theirs alone. */
function shown(answer: MessageAnswer, { defaultVisibility }: WorkspaceSettings): MessageAnswer {
  if (answer.visibility === defaultVisibility || answer.isProblem || !isShareable(answer.message.blocks)) return answer;
  return { ...answer, visibility: defaultVisibility };
}
