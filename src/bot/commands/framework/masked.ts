/** Masking an answer, or not, as the admins of the workspace have it. */
import { withoutMasking } from '../../../shared/redaction/masking.ts';
import type { WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { Answer, AnswerFile } from './command.ts';

export async function maskedAs({ isRedacting }: WorkspaceSettings, run: () => Promise<Answer>): Promise<Answer> {
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

/** Files are made when they are sent. */
function unmasked({ files }: { readonly files?: readonly AnswerFile[] }) {
  if (files === undefined) return {};
  return { files: files.map((file) => ({ ...file, content: () => withoutMasking(file.content) })) };
}
