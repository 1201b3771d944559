/** Applies the settings of a workspace to an answer: masking, visibility, and channels that may show log lines. */

import { withoutMasking } from '../../../shared/redaction/masking.ts';
import type { Actor } from '../../domain/person.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import { isShareable } from '../../views/blocks/command-button.ts';
import { logsRestrictedMessage } from '../../views/notices/problem.ts';
import type { Answer, AnswerFile, MessageAnswer, ThreadAnswer } from './command.ts';

/** @returns the same answer if the settings change nothing */
export function withVisibility(answer: Answer, settings: WorkspaceSettings, { channelId }: Actor): Answer {
  const areLogsAllowed = mayShowLogs(settings, channelId);
  switch (answer.kind) {
    case 'modal':
      return answer;
    case 'thread':
      return areLogsAllowed ? answer : withoutLogs(answer);
    case 'message':
      return answer.hasLogs && !areLogsAllowed ? { ...answer, isDirect: true } : shown(answer, settings);
  }
}

/** A direct message may always show logs. */
function mayShowLogs({ logChannels }: WorkspaceSettings, channelId: string): boolean {
  return logChannels === null || channelId.startsWith('D') || logChannels.includes(channelId);
}

/** Replaces log replies with a button that sends the logs to direct messages. */
function withoutLogs(answer: ThreadAnswer): ThreadAnswer {
  const replies = answer.replies.map(({ name, message, files, hasLogs }) =>
    hasLogs
      ? { name, message: logsRestrictedMessage(`logs ${answer.subject}`) }
      : { name, message, ...(files && { files }) },
  );
  return { ...answer, replies };
}

/** Applies the default visibility to shareable answers; questions, refusals and personal answers stay ephemeral. */
function shown(answer: MessageAnswer, { defaultVisibility }: WorkspaceSettings): MessageAnswer {
  if (answer.visibility === defaultVisibility || answer.isProblem || !isShareable(answer.message.blocks)) return answer;
  return { ...answer, visibility: defaultVisibility };
}

export async function runMasked({ isRedacting }: WorkspaceSettings, run: () => Promise<Answer>): Promise<Answer> {
  if (isRedacting) return run();
  const answer = await withoutMasking(run);
  switch (answer.kind) {
    case 'modal':
      return answer;
    case 'message':
      return { ...answer, ...unmasked(answer) };
    case 'thread':
      return { ...answer, replies: answer.replies.map((reply) => ({ ...reply, ...unmasked(reply) })) };
  }
}

/** File contents are built later, at delivery. */
function unmasked({ files }: { readonly files?: readonly AnswerFile[] }) {
  if (files === undefined) return {};
  return { files: files.map((file) => ({ ...file, content: () => withoutMasking(file.content) })) };
}
