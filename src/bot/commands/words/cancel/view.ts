/** View of `cancel`. */
import { type Message, message } from '../../../views/blocks/message.ts';
import { emoji, paragraph, plain, rich } from '../../../views/blocks/rich-text.ts';

type Cancelled = {
  /** Such as `the export of payments`; null if nothing was running. */
  readonly cancelled: string | null;
};

export function cancelMessage({ cancelled }: Cancelled): Message {
  if (cancelled === null)
    return message([paragraph(rich`You have no running export. The last one may have finished.`)]);
  // It may replace the export's final message, so it says how the export ended.
  return message([paragraph(rich`${emoji('no_entry_sign')} Cancelled ${plain(cancelled)}: no file was made.`)]);
}
