/** What a person reads while the query service asks for a pause. */
import { type Message, message } from '../blocks/message.ts';
import { emoji, paragraph, rich, trusted } from '../blocks/rich-text.ts';

/** @param waitMs until it is asked again */
export function serviceBusyMessage(waitMs: number): Message {
  const seconds = trusted(String(Math.max(1, Math.ceil(waitMs / 1000))));
  return message([
    paragraph(rich`${emoji('hourglass_flowing_sand')} The query service is busy; trying again in ${seconds} s.`),
  ]);
}
