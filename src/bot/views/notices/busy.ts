/** What a person reads while the query service asks for a pause. */
import { type Message, message } from '../blocks/message.ts';
import { emoji, ours, paragraph, rich } from '../blocks/rich-text.ts';

/** @param waitMs until it is asked again */
export function busyMessage(waitMs: number): Message {
  const seconds = ours(String(Math.max(1, Math.ceil(waitMs / 1000))));
  return message([
    paragraph(rich`${emoji('hourglass_flowing_sand')} The query service is busy; trying again in ${seconds} s.`),
  ]);
}
