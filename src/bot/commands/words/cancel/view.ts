/** What was cancelled. */
import { type Message, message } from '../../../views/blocks/message.ts';
import { emoji, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';

type Cancelled = {
  /** Such as `the export of payments`; null where nothing was under way. */
  readonly cancelled: string | null;
};

export function cancelMessage({ cancelled }: Cancelled): Message {
  if (cancelled === null) return message([paragraph(rich`Nothing of yours is under way, or it is over already.`)]);
  // It may come to stand in the place of the export's own last words, so it says how it ends.
  return message([paragraph(rich`${emoji('no_entry_sign')} Cancelled ${plain(cancelled)}: no file is made.`)]);
}
